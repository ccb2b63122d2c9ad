#include "reports/figures/axis.hpp"

#include <gtest/gtest.h>

namespace yardstick::reports {
namespace {

TEST(Axis, EndsMapOntoEnds) {
  const Axis linear(Scale::kLinear, {0, 10}, {100, 200});
  EXPECT_DOUBLE_EQ(linear.at(0), 100);
  EXPECT_DOUBLE_EQ(linear.at(5), 150);
  const Axis logarithmic(Scale::kLogarithmic, {1, 100}, {300, 0});
  EXPECT_DOUBLE_EQ(logarithmic.at(1), 300);
  EXPECT_DOUBLE_EQ(logarithmic.at(10), 150);
  EXPECT_DOUBLE_EQ(logarithmic.at(100), 0);
}

TEST(RangeOf, ANearlyFlatLogCurveIsNotBlownUp) {
  const Axis::Range range = range_of({4.30, 4.31}, Scale::kLogarithmic);
  EXPECT_GE(range.high / range.low, 2);
  EXPECT_LT(range.low, 4.30);
  EXPECT_GT(range.high, 4.31);
}

TEST(ValueTicks, AreRoundInsideTheRangeAndFew) {
  for (const Axis::Range& range :
       {Axis::Range{0, 1}, {3.9, 4.9}, {4, 150}, {1, 1e9}, {0.5, 0.50001}, {20, 21}}) {
    for (const Scale scale : {Scale::kLinear, Scale::kLogarithmic}) {
      if (scale == Scale::kLogarithmic && range.low <= 0) continue;
      const std::vector<Tick> ticks = value_ticks(range, scale);
      EXPECT_GE(ticks.size(), 2U) << range.low << ".." << range.high;
      EXPECT_LE(ticks.size(), 11U) << range.low << ".." << range.high;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, range.low * (1 - 1e-6));
        EXPECT_LE(tick.value, range.high * (1 + 1e-6));
      }
    }
  }
}

TEST(ValueTicks, OneTwoFiveOnALogAxis) {
  const std::vector<Tick> ticks = value_ticks({4, 150}, Scale::kLogarithmic);
  std::vector<double> values;
  for (const Tick& tick : ticks) values.push_back(tick.value);
  EXPECT_EQ(values, (std::vector<double>{5, 10, 20, 50, 100}));
}

}  // namespace
}  // namespace yardstick::reports
