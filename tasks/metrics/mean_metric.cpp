#include "tasks/metrics/mean_metric.hpp"

#include <numeric>
#include <utility>

#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {

MetricValue mean_metric(std::string name, std::span<const double> values, const Meaning& meaning) {
  const MeanEstimate mean = mean_with_error(values);
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = mean.mean;
  metric.standard_error = mean.standard_error;
  metric.n = std::ssize(values);
  metric.meaning = meaning;
  return metric;
}

MetricValue share_metric(std::string name, std::span<const double> values) {
  MetricValue metric = mean_metric(std::move(name), values, kShareMeaning);
  const Interval interval =
      wilson_interval(std::accumulate(values.begin(), values.end(), 0.0), metric.n);
  metric.ci_low = interval.low;
  metric.ci_high = interval.high;
  return metric;
}

}  // namespace yardstick::tasks
