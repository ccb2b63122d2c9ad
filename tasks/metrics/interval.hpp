// Means, standard errors and 95 % intervals of the metrics, each with its published formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace yardstick::tasks {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Wilson's score interval of a proportion at 95 % (z = 1.959964). `successes` may be fractional
/// (ties count 1/k). Source: Wilson 1927, J. Am. Stat. Assoc. 22. @throws Error(kInternal) if n < 1
/// or successes lie outside [0, n].
[[nodiscard]] Interval wilson_interval(double successes, std::int64_t n);

struct MeanEstimate {
  double mean = 0;
  std::optional<double> standard_error;  ///< sample SD / sqrt(n), n - 1 in the SD; none for n = 1
};

/// @throws Error(kInternal) if `values` is empty.
[[nodiscard]] MeanEstimate mean_with_error(std::span<const double> values);

/// Mean over the values, and the standard error of a mean whose values hang together within
/// clusters: sqrt(G / (G - 1) x sum over clusters of (sum of deviations)^2) / n, G clusters; none
/// for G = 1. With one value a cluster it is that of mean_with_error. Source: Liang & Zeger 1986;
/// for evaluations, Miller 2024 (arXiv 2411.00640).
/// @param clusters the cluster of each value. @throws Error(kInternal) if `values` is empty.
[[nodiscard]] MeanEstimate clustered_mean(std::span<const double> values,
                                          std::span<const std::size_t> clusters);

/// Weighted mean of estimates that are independent of each other: sum(w m) / sum(w), standard
/// error sqrt(sum(w^2 se^2)) / sum(w); no standard error if one of them has none. Weights of 1 give
/// a macro average, sample counts a micro average. @throws Error(kInternal) without a weight > 0.
[[nodiscard]] MeanEstimate weighted_mean(std::span<const MeanEstimate> estimates,
                                         std::span<const double> weights);

struct BootstrapEstimate {
  Interval interval;          ///< percentiles 2.5 and 97.5, linearly interpolated
  double standard_error = 0;  ///< SD of the resampled values
};

/// Bootstrap of any statistic over `units` units that are drawn with replacement; 1000 resamples,
/// the same for the same seed on every machine. Nothing if there are fewer than two units.
/// Source: Efron & Tibshirani 1993, ch. 13 (percentile interval).
/// @param statistic its value for the units at these indices, as many as there are units.
[[nodiscard]] std::optional<BootstrapEstimate> bootstrap(
    std::size_t units, const std::function<double(std::span<const std::size_t>)>& statistic,
    std::uint64_t seed);

/// bootstrap() of sum(numerators) / sum(denominators), one of each a unit (document).
[[nodiscard]] std::optional<BootstrapEstimate> bootstrap_ratio(std::span<const double> numerators,
                                                               std::span<const double> denominators,
                                                               std::uint64_t seed);

}  // namespace yardstick::tasks
