// lm-evaluation-harness's `metric_list` for tasks that are scored by log-likelihood: names of
// metrics, theirs and ours, and the headline that they choose.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// A metric that a task can be asked for.
struct KnownMetric {
  std::string_view written;      ///< as task files call it: "acc_norm"
  std::string_view name;         ///< as results call it: "acc_char"
  std::string_view aggregation;  ///< the one that it has: "mean", "f1", "perplexity", ...
  Task::Headline::Better better = Task::Headline::Better::kHigher;
};

struct ChosenMetrics {
  std::vector<std::string> names;  ///< of results, in the order of the list; empty without a list
  Task::Headline headline;         ///< `headline`, else the first of the list, else the first known

  [[nodiscard]] bool has(std::string_view name) const;
};

/// Reads `metric_list` (metric, aggregation, higher_is_better) and `headline`.
/// @throws Error(kConfig) for a metric that is not among `known`, or an aggregation that is not
/// its own.
[[nodiscard]] ChosenMetrics read_metric_list(Fields& fields, std::span<const KnownMetric> known);

}  // namespace yardstick::tasks
