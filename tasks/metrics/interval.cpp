#include "tasks/metrics/interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"

namespace yardstick::tasks {
namespace {

constexpr double kNormal975 = 1.959963984540054;
constexpr int kResamples = 1000;

// Linear interpolation between order statistics; `sorted` is not empty.
double percentile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = place - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

}  // namespace

Interval wilson_interval(double successes, std::int64_t n) {
  check(n >= 1 && successes >= 0 && successes <= static_cast<double>(n) + 1e-9,
        "a proportion has at least one trial and no more successes than trials");
  const auto trials = static_cast<double>(n);
  const double p = std::min(successes / trials, 1.0);
  const double z2 = kNormal975 * kNormal975;
  const double centre = (p + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half =
      kNormal975 * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials);
  // At the ends the formula gives 0 and 1 up to rounding; a table should say them exactly.
  return {.low = p > 0 ? std::max(0.0, centre - half) : 0.0,
          .high = p < 1 ? std::min(1.0, centre + half) : 1.0};
}

MeanEstimate mean_with_error(std::span<const double> values) {
  check(!values.empty(), "a mean needs at least one value");
  const auto n = static_cast<double>(values.size());
  MeanEstimate estimate{.mean = std::accumulate(values.begin(), values.end(), 0.0) / n,
                        .standard_error = std::nullopt};
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.standard_error = std::sqrt(squares / (n - 1) / n);
  return estimate;
}

MeanEstimate clustered_mean(std::span<const double> values, std::span<const std::size_t> clusters) {
  check(!values.empty() && values.size() == clusters.size(), "each value belongs to a cluster");
  const auto n = static_cast<double>(values.size());
  MeanEstimate estimate{.mean = std::accumulate(values.begin(), values.end(), 0.0) / n,
                        .standard_error = std::nullopt};
  std::map<std::size_t, double> deviations;
  for (std::size_t i = 0; i < values.size(); ++i) {
    deviations[clusters[i]] += values[i] - estimate.mean;
  }
  const auto groups = static_cast<double>(deviations.size());
  if (groups < 2) return estimate;
  double squares = 0;
  for (const auto& [cluster, deviation] : deviations) squares += deviation * deviation;
  estimate.standard_error = std::sqrt(groups / (groups - 1) * squares) / n;
  return estimate;
}

MeanEstimate weighted_mean(std::span<const MeanEstimate> estimates,
                           std::span<const double> weights) {
  check(estimates.size() == weights.size(), "each estimate has a weight");
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  check(total > 0, "a weighted mean needs a weight above 0");
  MeanEstimate mean{.mean = 0, .standard_error = 0.0};
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const double share = weights[i] / total;
    mean.mean += share * estimates[i].mean;
    if (!estimates[i].standard_error) mean.standard_error = std::nullopt;
    if (mean.standard_error) {
      mean.standard_error = std::hypot(*mean.standard_error, share * *estimates[i].standard_error);
    }
  }
  return mean;
}

std::optional<BootstrapEstimate> bootstrap(
    std::size_t units, const std::function<double(std::span<const std::size_t>)>& statistic,
    std::uint64_t seed) {
  if (units < 2) return std::nullopt;
  Random random(seed, "bootstrap over units");
  std::vector<double> values;
  values.reserve(kResamples);
  std::vector<std::size_t> drawn(units);
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t& unit : drawn) unit = random.below(units);
    values.push_back(statistic(drawn));
  }
  const MeanEstimate mean = mean_with_error(values);
  std::sort(values.begin(), values.end());
  return BootstrapEstimate{
      .interval = {.low = percentile(values, 0.025), .high = percentile(values, 0.975)},
      .standard_error = *mean.standard_error * std::sqrt(static_cast<double>(kResamples))};
}

std::optional<BootstrapEstimate> bootstrap_ratio(std::span<const double> numerators,
                                                 std::span<const double> denominators,
                                                 std::uint64_t seed) {
  check(numerators.size() == denominators.size(), "each unit has a numerator and a denominator");
  const auto ratio = [&](std::span<const std::size_t> drawn) {
    double top = 0;
    double bottom = 0;
    for (const std::size_t unit : drawn) {
      top += numerators[unit];
      bottom += denominators[unit];
    }
    return top / bottom;
  };
  return bootstrap(numerators.size(), ratio, seed);
}

}  // namespace yardstick::tasks
