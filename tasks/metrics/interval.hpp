// Means, standard errors and 95 % intervals of the metrics, each with its published formula.
#pragma once

#include <cstdint>
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

struct BootstrapEstimate {
  Interval interval;          ///< percentiles 2.5 and 97.5, linearly interpolated
  double standard_error = 0;  ///< SD of the resampled ratios
};

/// Bootstrap of sum(numerators) / sum(denominators) over units (documents) that are drawn with
/// replacement; 1000 resamples, the same for the same seed on every machine. Nothing if there are
/// fewer than two units. Source: Efron & Tibshirani 1993, ch. 13 (percentile interval).
[[nodiscard]] std::optional<BootstrapEstimate> bootstrap_ratio(std::span<const double> numerators,
                                                               std::span<const double> denominators,
                                                               std::uint64_t seed);

}  // namespace yardstick::tasks
