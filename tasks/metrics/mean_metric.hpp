// Metrics that are plain means over a cell's samples.
#pragma once

#include <span>
#include <string>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// The mean of `values`, at least one, with sample SD / sqrt(n).
[[nodiscard]] MetricValue mean_metric(std::string name, std::span<const double> values,
                                      const Meaning& meaning);

/// mean_metric() of values in [0, 1] (matches, credits), with Wilson's interval.
[[nodiscard]] MetricValue share_metric(std::string name, std::span<const double> values);

}  // namespace yardstick::tasks
