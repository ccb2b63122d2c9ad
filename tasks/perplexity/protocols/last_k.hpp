// `last-k`: the same target tokens at every context length; what changes is their context alone.
#pragma once

#include <memory>
#include <string>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// Which tokens the last-k protocol scores: k tokens in front of each end, and the ends are
/// longest, longest + stride, longest + 2 stride ... <= size of the stream. All of them have full
/// context at every length up to `longest`, so the targets are the same at every length.
struct LastTargets {
  std::int64_t k = 0;
  std::int64_t longest = 0;
  std::int64_t stride = 0;

  bool operator==(const LastTargets&) const = default;
};

/// For each end, the window of `length` positions that ends there and scores the last k tokens.
/// k < length <= longest, k <= stride.
[[nodiscard]] Windows cut_last(std::span<const TokenId> stream, std::span<const TokenId> opening,
                               std::int64_t length, const LastTargets& targets);

/// "last=256,longest=32768,stride=32768": the variant of a last-k cell, since its targets depend on
/// the suite's longest length and not on its own length alone.
[[nodiscard]] std::string format_targets(const LastTargets& targets);

/// @throws Error(kInternal) for a text that format_targets did not write.
[[nodiscard]] LastTargets parse_targets(const std::string& variant);

/// Reads `k` and `stride`.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_last_k(Fields& fields);

}  // namespace yardstick::tasks
