// Metrics that are ratios of sums over a cell's resampling units (documents, questions), and their
// exponentials.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// sum(top) / sum(bottom) over resampling units, with a bootstrap interval; without one where a
/// unit has nothing to divide by. It means a loss in nats.
[[nodiscard]] MetricValue ratio_metric(std::string name, std::span<const double> top,
                                       std::span<const double> bottom, std::uint64_t seed);

/// exp of a loss in nats, a perplexity; the standard error by the delta method: d exp(x) = exp(x)
/// dx.
[[nodiscard]] MetricValue exp_of(std::string name, const MetricValue& nll);

}  // namespace yardstick::tasks
