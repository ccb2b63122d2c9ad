// ALiBi slopes against the published lists (users.md B-54, B-55; Press et al. 2021, sec. 3).
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using position::SlopeRule;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

position::PositionPlan alibi_plan(std::int64_t heads, SlopeRule rule) {
  position::PositionPlan plan;
  plan.kind = position::Kind::kAlibi;
  plan.heads = heads;
  plan.kv_heads = 1;
  plan.head_dim = 8;
  plan.alibi.slopes = rule;
  return plan;
}

std::vector<double> slopes(std::int64_t heads, SlopeRule rule) {
  return make_encoding(alibi_plan(heads, rule), {})->bias_slopes(0);
}

TEST(Alibi, EightHeadsStartAtOneHalf) {
  EXPECT_THAT(slopes(8, SlopeRule::kInterleaved),
              ElementsAre(0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625));
}

TEST(Alibi, SixHeadsTakeEverySecondSlopeOfEight) {
  EXPECT_THAT(slopes(6, SlopeRule::kInterleaved),
              ElementsAre(0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125));
}

TEST(Alibi, TwelveHeadsTakeEverySecondSlopeOfSixteen) {
  const std::vector<double> found = slopes(12, SlopeRule::kInterleaved);
  ASSERT_EQ(found.size(), 12U);
  for (int h = 0; h < 8; ++h) EXPECT_EQ(found[static_cast<std::size_t>(h)], std::exp2(-(h + 1)));
  for (int h = 0; h < 4; ++h) {
    EXPECT_NEAR(found[static_cast<std::size_t>(8 + h)], std::exp2(-(h + 0.5)), 1e-15);
  }
}

TEST(Alibi, GeometricRuleServesEveryHeadCount) {
  const std::vector<double> found = slopes(12, SlopeRule::kGeometric);
  for (int h = 0; h < 12; ++h) {
    EXPECT_NEAR(found[static_cast<std::size_t>(h)], std::exp2(-8.0 * (h + 1) / 12.0), 1e-15);
  }
  EXPECT_THAT(slopes(3, SlopeRule::kGeometric),
              ElementsAre(DoubleNear(0.157490131, 1e-9), DoubleNear(0.024803141, 1e-9),
                          DoubleNear(0.00390625, 1e-15)));
}

TEST(Alibi, RulesAgreeForPowersOfTwo) {
  for (const std::int64_t heads : {1, 2, 4, 16, 32}) {
    EXPECT_EQ(slopes(heads, SlopeRule::kInterleaved), slopes(heads, SlopeRule::kGeometric))
        << heads;
  }
}

TEST(Alibi, BiasMaxSetsTheGentlestSlope) {
  position::PositionPlan plan = alibi_plan(4, SlopeRule::kGeometric);
  plan.alibi.bias_max = 16.0;
  EXPECT_THAT(make_encoding(plan, {})->bias_slopes(0),
              ElementsAre(0.0625, 0.00390625, std::exp2(-12), std::exp2(-16)));
}

TEST(Alibi, NeitherRotatesNorLimitsTheLength) {
  const auto encoding = make_encoding(alibi_plan(4, SlopeRule::kInterleaved), {});
  EXPECT_FALSE(encoding->rotation(0));
  EXPECT_FALSE(encoding->longest_sequence());
  EXPECT_TRUE(encoding->frequencies(100).empty());
  EXPECT_EQ(encoding->length_use(), position::LengthUse::kNone);
}

TEST(Alibi, RefusesABiasMaxThatIsNotPositive) {
  position::PositionPlan plan = alibi_plan(4, SlopeRule::kGeometric);
  plan.alibi.bias_max = 0.0;
  plan.sources = {{"alibi_bias_max", "config.yaml: model.alibi_bias_max"}};
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("alibi_bias_max (config.yaml: model.alibi_bias_max) is 0; expected"));
}

}  // namespace
}  // namespace yardstick::test
