#include "tasks/metrics/ratio.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {

MetricValue ratio_metric(std::string name, std::span<const double> tops,
                         std::span<const double> bottoms, std::uint64_t seed) {
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = std::accumulate(tops.begin(), tops.end(), 0.0) /
                 std::accumulate(bottoms.begin(), bottoms.end(), 0.0);
  metric.n = std::ssize(tops);
  if (const std::optional<BootstrapEstimate> spread = bootstrap_ratio(tops, bottoms, seed)) {
    metric.standard_error = spread->standard_error;
    metric.ci_low = spread->interval.low;
    metric.ci_high = spread->interval.high;
  }
  return metric;
}

MetricValue exp_metric(std::string name, const MetricValue& logarithm) {
  MetricValue metric = logarithm;
  metric.name = std::move(name);
  metric.value = std::exp(logarithm.value);
  if (logarithm.standard_error) metric.standard_error = metric.value * *logarithm.standard_error;
  if (logarithm.ci_low) metric.ci_low = std::exp(*logarithm.ci_low);
  if (logarithm.ci_high) metric.ci_high = std::exp(*logarithm.ci_high);
  return metric;
}

}  // namespace yardstick::tasks
