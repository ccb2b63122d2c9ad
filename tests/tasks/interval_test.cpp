#include "tasks/metrics/interval.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace yardstick::tasks {
namespace {

// Values of the published formula, as users of needle grids expect them: one hit of one is not
// "100 %" but 0.207..1.
TEST(Wilson, B104SmallCellsAreWide) {
  EXPECT_NEAR(wilson_interval(1, 1).low, 0.207, 5e-4);
  EXPECT_DOUBLE_EQ(wilson_interval(1, 1).high, 1.0);
  EXPECT_NEAR(wilson_interval(5, 5).low, 0.566, 5e-4);
  EXPECT_NEAR(wilson_interval(20, 20).low, 0.839, 5e-4);
  EXPECT_DOUBLE_EQ(wilson_interval(0, 7).low, 0.0);
}

TEST(Wilson, HalfIsSymmetric) {
  const Interval interval = wilson_interval(50, 100);
  EXPECT_NEAR(interval.low + interval.high, 1.0, 1e-12);
  // Closed form at p = 1/2: half-width z / (2 sqrt(n + z^2)).
  EXPECT_NEAR(interval.high - interval.low, 1.959964 / std::sqrt(100 + 1.959964 * 1.959964), 1e-6);
}

// lm-evaluation-harness issue 3966: 14 right of 307 has a standard error of 0.011926, not 0.
TEST(MeanWithError, DividesTheSampleDeviationByTheRootOfN) {
  std::vector<double> values(307, 0.0);
  for (std::size_t i = 0; i < 14; ++i) values[i] = 1;
  const MeanEstimate estimate = mean_with_error(values);
  EXPECT_NEAR(estimate.mean, 14.0 / 307, 1e-12);
  EXPECT_NEAR(estimate.standard_error.value(), 0.011926, 5e-7);
  EXPECT_FALSE(mean_with_error(std::vector<double>{3.0}).standard_error.has_value());
}

// One value a cluster is the plain standard error; equal pairs halve what is known: for n = 2 G it
// is that of G values.
TEST(ClusteredMean, CountsWhatHangsTogetherOnce) {
  const std::vector<double> values = {1, 4, 2, 9};
  const std::vector<std::size_t> alone = {0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(clustered_mean(values, alone).standard_error.value(),
                   mean_with_error(values).standard_error.value());
  const std::vector<double> twice = {1, 1, 4, 4, 2, 2, 9, 9};
  const std::vector<std::size_t> pairs = {0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_DOUBLE_EQ(clustered_mean(twice, pairs).standard_error.value(),
                   mean_with_error(values).standard_error.value());
  EXPECT_FALSE(clustered_mean(values, std::vector<std::size_t>(4, 0)).standard_error.has_value());
}

TEST(WeightedMean, AddsErrorsInSquares) {
  const std::vector<MeanEstimate> estimates = {{.mean = 0.5, .standard_error = 0.03},
                                               {.mean = 0.8, .standard_error = 0.04}};
  const MeanEstimate macro = weighted_mean(estimates, std::vector<double>{1, 1});
  EXPECT_DOUBLE_EQ(macro.mean, 0.65);
  EXPECT_DOUBLE_EQ(macro.standard_error.value(), 0.025);  // sqrt(0.015^2 + 0.02^2)
  const MeanEstimate micro = weighted_mean(estimates, std::vector<double>{200, 100});
  EXPECT_DOUBLE_EQ(micro.mean, 0.6);
  EXPECT_NEAR(micro.standard_error.value(), std::sqrt(0.02 * 0.02 + 0.04 * 0.04 / 9), 1e-15);
  const std::vector<MeanEstimate> unknown = {{.mean = 1}, {.mean = 0, .standard_error = 0.1}};
  EXPECT_FALSE(weighted_mean(unknown, std::vector<double>{1, 1}).standard_error.has_value());
}

TEST(Bootstrap, TakesAnyStatistic) {
  const std::vector<double> values = {3, 3, 3, 3};
  const auto sum = [&](std::span<const std::size_t> drawn) {
    double total = 0;
    for (const std::size_t i : drawn) total += values[i];
    return total;
  };
  EXPECT_DOUBLE_EQ(bootstrap(values.size(), sum, 1)->interval.low, 12);
  EXPECT_FALSE(bootstrap(1, sum, 1).has_value());
}

TEST(Bootstrap, EqualUnitsHaveNoSpread) {
  const std::vector<double> top(9, 3.0);
  const std::vector<double> bottom(9, 2.0);
  const BootstrapEstimate estimate = bootstrap_ratio(top, bottom, 1).value();
  EXPECT_DOUBLE_EQ(estimate.interval.low, 1.5);
  EXPECT_DOUBLE_EQ(estimate.interval.high, 1.5);
  EXPECT_DOUBLE_EQ(estimate.standard_error, 0.0);
}

// For a mean of n values the bootstrap's standard error tends to sd / sqrt(n): 0.5 / 20 here, and
// the interval to +- 1.96 of it.
TEST(Bootstrap, AgreesWithTheNormalTheoryOfAMean) {
  std::vector<double> top(400, 0.0);
  for (std::size_t i = 0; i < top.size(); i += 2) top[i] = 1;
  const std::vector<double> bottom(top.size(), 1.0);
  const BootstrapEstimate estimate = bootstrap_ratio(top, bottom, 5).value();
  EXPECT_NEAR(estimate.standard_error, 0.025, 0.0025);
  EXPECT_NEAR(estimate.interval.low, 0.5 - 1.96 * 0.025, 0.006);
  EXPECT_NEAR(estimate.interval.high, 0.5 + 1.96 * 0.025, 0.006);
}

TEST(Bootstrap, SameSeedSameIntervalAndOneUnitHasNone) {
  const std::vector<double> top = {1, 5, 2, 8, 3};
  const std::vector<double> bottom = {1, 2, 1, 2, 1};
  EXPECT_DOUBLE_EQ(bootstrap_ratio(top, bottom, 7)->interval.low,
                   bootstrap_ratio(top, bottom, 7)->interval.low);
  EXPECT_NE(bootstrap_ratio(top, bottom, 7)->standard_error,
            bootstrap_ratio(top, bottom, 8)->standard_error);
  EXPECT_FALSE(bootstrap_ratio(std::vector<double>{1}, std::vector<double>{1}, 7).has_value());
}

}  // namespace
}  // namespace yardstick::tasks
