#include "tasks/metrics/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {

MetricValue ratio_metric(std::string name, std::span<const double> top,
                         std::span<const double> bottom, std::uint64_t seed) {
  MetricValue metric{.name = std::move(name),
                     .value = std::accumulate(top.begin(), top.end(), 0.0) /
                              std::accumulate(bottom.begin(), bottom.end(), 0.0),
                     .standard_error = std::nullopt,
                     .ci_low = std::nullopt,
                     .ci_high = std::nullopt,
                     .n = static_cast<std::int64_t>(top.size()),
                     .meaning = kNatsMeaning};
  // A unit without a byte or word could be all that a resample draws.
  const bool is_divisible =
      std::all_of(bottom.begin(), bottom.end(), [](double x) { return x > 0; });
  if (!is_divisible) return metric;
  if (const std::optional<BootstrapEstimate> spread = bootstrap_ratio(top, bottom, seed)) {
    metric.standard_error = spread->standard_error;
    metric.ci_low = spread->interval.low;
    metric.ci_high = spread->interval.high;
  }
  return metric;
}

MetricValue exp_of(std::string name, const MetricValue& nll) {
  MetricValue metric = nll;
  metric.name = std::move(name);
  metric.meaning = kPerplexityMeaning;
  metric.value = std::exp(nll.value);
  metric.standard_error.reset();
  if (nll.standard_error && std::isfinite(metric.value))
    metric.standard_error = metric.value * *nll.standard_error;
  if (nll.ci_low) metric.ci_low = std::exp(*nll.ci_low);
  if (nll.ci_high) metric.ci_high = std::exp(*nll.ci_high);
  return metric;
}

}  // namespace yardstick::tasks
