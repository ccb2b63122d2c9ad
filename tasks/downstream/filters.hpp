// lm-evaluation-harness's `filter_list`: what is taken out of a generated answer before it is
// compared.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"

namespace yardstick::tasks {

/// The answers to one question: one, or as many as `repeats` asks for.
using Answers = std::vector<std::string>;

/// A named chain of filters. Immutable and thread-safe.
struct FilterPipeline {
  std::string name;  ///< empty where the task has no filter_list
  std::vector<std::function<Answers(Answers)>> steps;
  std::string written;  ///< the steps with all their settings, as JSON

  [[nodiscard]] Answers apply(Answers answers) const;
};

/// Reads `filter_list`; one pipeline without name or steps if there is none. Filters: regex
/// (regex_pattern, group_select, fallback), take_first, take_first_k (k), majority_vote, lowercase,
/// uppercase, remove_whitespace, map (mapping_dict, default_value).
/// @throws Error(kConfig) for any other filter, and for a name that stands twice.
[[nodiscard]] std::vector<FilterPipeline> read_filters(Fields& fields, std::int64_t repeats);

}  // namespace yardstick::tasks
