// Metrics that are ratios of sums over a cell's units (documents, questions), with bootstrap
// intervals over the units.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// sum(tops) / sum(bottoms); bottoms sum to more than 0.
[[nodiscard]] MetricValue ratio_metric(std::string name, std::span<const double> tops,
                                       std::span<const double> bottoms, std::uint64_t seed);

/// exp of a metric: a perplexity from a loss in nats; the standard error by the delta method,
/// d exp(x) = exp(x) dx.
[[nodiscard]] MetricValue exp_metric(std::string name, const MetricValue& logarithm);

}  // namespace yardstick::tasks
