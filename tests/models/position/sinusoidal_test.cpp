// arXiv 1706.03762, sec. 3.5, by hand.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "models/position/encoding.hpp"

namespace yardstick::test {
namespace {

position::PositionPlan plan_of(position::PairLayout layout) {
  position::PositionPlan plan;
  plan.kind = position::Kind::kSinusoidal;
  plan.heads = plan.kv_heads = 1;
  plan.head_dim = 4;
  plan.layout = layout;
  return plan;
}

TEST(Sinusoidal, NeighboursAreASineAndItsCosine) {
  const auto encoding = make_encoding(plan_of(position::PairLayout::kInterleaved), {});
  ASSERT_TRUE(encoding->adds_to_embedding());
  std::array<float, 4> row{};
  encoding->fill_embedding(7, row);
  const std::array<double, 4> expected = {std::sin(7.0), std::cos(7.0), std::sin(0.07),
                                          std::cos(0.07)};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(row[i], expected[i], 1e-7);
}

TEST(Sinusoidal, HalvesAreSinesThenCosines) {
  const auto encoding = make_encoding(plan_of(position::PairLayout::kHalves), {});
  std::array<float, 4> row{};
  encoding->fill_embedding(1'000'000, row);
  const std::array<double, 4> expected = {std::sin(1e6), std::sin(1e4), std::cos(1e6),
                                          std::cos(1e4)};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(row[i], expected[i], 1e-7);
}

}  // namespace
}  // namespace yardstick::test
