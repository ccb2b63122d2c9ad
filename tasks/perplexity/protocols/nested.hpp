// `nested`: every length is the beginning of the same windows, so one pass gives all lengths.
#pragma once

#include <memory>
#include <string>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// The first `length` positions of each of the windows that cut_disjoint makes for `longest`, whose
/// rest is dropped: the same windows at every length, all as parts of the longest ones.
/// 2 <= length <= longest.
[[nodiscard]] Windows cut_nested(std::span<const TokenId> stream, std::span<const TokenId> opening,
                                 std::int64_t length, std::int64_t longest);

/// "nested,longest=32768": the variant of a nested cell, since its windows depend on the suite's
/// longest length and not on its own length alone.
[[nodiscard]] std::string format_longest(std::int64_t longest);

/// @throws Error(kInternal) for a text that format_longest did not write.
[[nodiscard]] std::int64_t parse_longest(const std::string& variant);

[[nodiscard]] std::unique_ptr<const WindowProtocol> make_nested(Fields& fields);

}  // namespace yardstick::tasks
