// Scalings by their closed forms: users.md B-37 to B-41, paper.md 5.2 claims 4 and 5, and the
// papers named in models/position/scaling.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using position::LengthUse;
using position::PositionPlan;
using position::ScalingKind;
using testing::Each;
using testing::HasSubstr;

PositionPlan scaled_plan(ScalingKind kind, double factor, std::int64_t original_length,
                         PositionPlan plan) {
  plan.scaling.kind = kind;
  plan.scaling.factor = factor;
  plan.scaling.original_length = original_length;
  return plan;
}

PositionPlan longrope_plan(double short_factor, double long_factor) {
  PositionPlan plan = scaled_plan(ScalingKind::kLongRope, 4.0, 4096, rope_plan(16));
  plan.scaling.short_factor.assign(8, short_factor);
  plan.scaling.long_factor.assign(8, long_factor);
  return plan;
}

std::vector<float> unscaled(const PositionPlan& plan) {
  return position::frequency_table(plan, 0).unscaled;
}

std::vector<float> scaled(const PositionPlan& plan, std::int64_t total_length = 0) {
  return position::frequency_table(plan, total_length).values;
}

TEST(Scaling, FactorOneChangesNothing) {
  for (const ScalingKind kind :
       {ScalingKind::kLinear, ScalingKind::kDynamicNtk, ScalingKind::kYarn, ScalingKind::kLlama3}) {
    const PositionPlan plan = scaled_plan(kind, 1.0, 512, rope_plan(64));
    SCOPED_TRACE(to_string(kind));
    EXPECT_EQ(scaled(plan, 512), unscaled(plan));
    EXPECT_EQ(position::frequency_table(plan, 512).attention_factor, 1.0);
  }
}

TEST(Scaling, LongRopeOfOnesChangesNoFrequency) {
  const PositionPlan plan = longrope_plan(1.0, 1.0);
  EXPECT_EQ(scaled(plan, 100), unscaled(plan));
  EXPECT_EQ(scaled(plan, 9999), unscaled(plan));
}

TEST(Scaling, LinearDividesEveryFrequency) {
  const PositionPlan plan = scaled_plan(ScalingKind::kLinear, 8.0, 0, rope_plan(64));
  const std::vector<float> before = unscaled(plan);
  const std::vector<float> after = scaled(plan);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i] * 8.0F, before[i]) << i;
}

/// Expects the list theta^(-2i/128) of another base.
void expect_base(const std::vector<float>& found, double theta) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = std::pow(theta, -static_cast<double>(i) / 64.0);
    EXPECT_NEAR(found[i], expected, 1e-7 * expected) << "pair " << i;
  }
}

TEST(DynamicNtk, BaseGrowsWithTheTotalLength) {
  const PositionPlan plan = scaled_plan(ScalingKind::kDynamicNtk, 2.0, 2048, rope_plan(128));
  expect_base(scaled(plan, 4096), 30527.7367);
  expect_base(scaled(plan, 8192), 72195.8601);
}

TEST(DynamicNtk, UnscaledUpToTheOriginalLength) {
  const PositionPlan plan = scaled_plan(ScalingKind::kDynamicNtk, 2.0, 2048, rope_plan(128));
  EXPECT_EQ(scaled(plan, 1), unscaled(plan));
  EXPECT_EQ(scaled(plan, 2048), unscaled(plan));
  EXPECT_NE(scaled(plan, 2049), unscaled(plan));
}

TEST(DynamicNtk, EveryPositionOfAPassUsesThePassLength) {
  const auto encoding =
      make_encoding(scaled_plan(ScalingKind::kDynamicNtk, 2.0, 2048, rope_plan(128)), {});
  EXPECT_EQ(encoding->length_use(), LengthUse::kTotal);
  const Tables short_pass = fill(*encoding, {.count = 8, .total_length = 2048});
  const Tables long_pass = fill(*encoding, {.count = 8, .total_length = 4096});
  EXPECT_NE(short_pass.cos, long_pass.cos);
  EXPECT_EQ(long_pass.cos[64], static_cast<float>(std::cos(1.0)));  // positions are not stretched
}

TEST(Yarn, RampBoundsAreThoseOfThePapers) {
  const auto ramp = [](std::int64_t original_length, std::int64_t dims) {
    const PositionPlan plan =
        scaled_plan(ScalingKind::kYarn, 16.0, original_length, rope_plan(dims));
    const position::Ramp found = position::ramp(32.0, 1.0, plan.scaling, {10000.0, dims});
    return std::pair(found.low, found.high);
  };
  EXPECT_EQ(ramp(4096, 128), std::pair(20.0, 46.0));
  EXPECT_EQ(ramp(512, 64), std::pair(3.0, 16.0));
  EXPECT_EQ(ramp(512, 128), std::pair(6.0, 31.0));
}

TEST(Yarn, FastPairsStayAndSlowPairsAreDivided) {
  const PositionPlan plan = scaled_plan(ScalingKind::kYarn, 16.0, 4096, rope_plan(128));
  const std::vector<float> before = unscaled(plan);
  const std::vector<float> after = scaled(plan);
  for (std::size_t i = 0; i <= 20; ++i) EXPECT_EQ(after[i], before[i]) << i;
  for (std::size_t i = 46; i < 64; ++i) EXPECT_EQ(after[i] * 16.0F, before[i]) << i;
  for (std::size_t i = 21; i < 46; ++i) {
    EXPECT_LT(after[i], before[i]) << i;
    EXPECT_GT(after[i] * 16.0F, before[i]) << i;
  }
}

TEST(Yarn, BoundsThatMeetMakeAStep) {
  // Turns above the original length's leave both bounds at 0: pair 0 stays, the others scale.
  PositionPlan plan = scaled_plan(ScalingKind::kYarn, 4.0, 6, rope_plan(64));
  plan.scaling.beta_slow = 1.0;
  const position::Ramp ramp = position::ramp(32.0, 1.0, plan.scaling, {10000.0, 64});
  EXPECT_EQ(ramp.low, 0.0);
  EXPECT_EQ(ramp.high, 0.001);
  const std::vector<float> after = scaled(plan);
  EXPECT_EQ(after[0], 1.0F);
  EXPECT_EQ(after[1] * 4.0F, unscaled(plan)[1]);
}

TEST(Yarn, MixZeroScalesEveryPair) {
  PositionPlan plan = scaled_plan(ScalingKind::kYarn, 16.0, 512, rope_plan(64));
  plan.scaling.yarn_mix = 0.0;
  const std::vector<float> before = unscaled(plan);
  const std::vector<float> after = scaled(plan);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i] * 16.0F, before[i]) << i;
}

double yarn_factor(double factor, std::optional<double> explicit_factor = std::nullopt) {
  PositionPlan plan = scaled_plan(ScalingKind::kYarn, factor, 4096, rope_plan(128));
  plan.scaling.attention_factor = explicit_factor;
  return position::frequency_table(plan, 0).attention_factor;
}

TEST(Yarn, AttentionFactorIsTheExplicitOneOrTheFormula) {
  EXPECT_NEAR(yarn_factor(4.0), 1.1386294, 1e-7);
  EXPECT_NEAR(yarn_factor(16.0), 1.2772589, 1e-7);
  EXPECT_NEAR(yarn_factor(40.0), 1.3688879, 1e-7);
  EXPECT_NEAR(yarn_factor(64.0), 1.4158883, 1e-7);
  EXPECT_EQ(yarn_factor(64.0, 1.0), 1.0);
  EXPECT_EQ(yarn_factor(0.5), 1.0);
}

TEST(Yarn, AttentionFactorMultipliesBothWaves) {
  const auto encoding = make_encoding(scaled_plan(ScalingKind::kYarn, 4.0, 512, rope_plan(16)), {});
  const Tables tables = fill(*encoding, {.first_position = 5, .count = 1});
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(std::hypot(tables.cos[i], tables.sin[i]), 0.1 * std::log(4.0) + 1.0, 1e-6);
  }
}

TEST(Llama3, BandsAreKeptMixedAndDivided) {
  const PositionPlan plan = scaled_plan(ScalingKind::kLlama3, 32.0, 8192, rope_plan(64, 500000.0));
  const std::vector<float> before = unscaled(plan);
  const std::vector<float> after = scaled(plan);
  for (std::size_t i = 0; i <= 14; ++i) EXPECT_EQ(after[i], before[i]) << i;
  EXPECT_NEAR(after[15], 1.290548e-3, 1e-9);
  EXPECT_NEAR(after[16], 4.295568e-4, 1e-10);
  EXPECT_NEAR(after[17], 9.708288e-5, 1e-11);
  for (std::size_t i = 18; i < 32; ++i) EXPECT_EQ(after[i] * 32.0F, before[i]) << i;
}

TEST(LongRope, TheTotalLengthPicksTheListForAllPositions) {
  const PositionPlan plan = longrope_plan(2.0, 4.0);
  const auto encoding = make_encoding(plan, {});
  EXPECT_EQ(encoding->length_use(), LengthUse::kTotal);
  EXPECT_EQ(encoding->frequencies(3000)[0], 0.5);
  EXPECT_EQ(encoding->frequencies(4096)[0], 0.5);
  EXPECT_EQ(encoding->frequencies(4097)[0], 0.25);
  EXPECT_EQ(encoding->frequencies(5000)[0], 0.25);
  const Tables first_chunk = fill(*encoding, {.count = 2, .total_length = 5000});
  EXPECT_NEAR(first_chunk.cos[8] / first_chunk.cos[0], std::cos(0.25), 1e-6);
}

TEST(LongRope, AttentionFactorAppliesToShortSequencesToo) {
  PositionPlan plan = longrope_plan(1.0, 2.0);
  plan.scaling.factor = 32.0;  // 131072 / 4096
  const double expected = std::sqrt(1.0 + std::log(32.0) / std::log(4096.0));
  EXPECT_NEAR(position::frequency_table(plan, 10).attention_factor, expected, 1e-12);
  EXPECT_NEAR(position::frequency_table(plan, 9999).attention_factor, expected, 1e-12);
}

TEST(LongRope, RefusesAListOfAnotherLength) {
  PositionPlan plan = longrope_plan(1.0, 2.0);
  plan.scaling.long_factor.pop_back();
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("long_factor has 7 entries; expected 8, one a rotary pair"));
  plan.scaling.long_factor.push_back(0.0);
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("long_factor[7] is 0; expected a positive number"));
}

TEST(Scaling, RefusesAMissingOriginalLength) {
  for (const ScalingKind kind :
       {ScalingKind::kDynamicNtk, ScalingKind::kYarn, ScalingKind::kLlama3}) {
    const PositionPlan plan = scaled_plan(kind, 2.0, 0, rope_plan(64));
    EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
                HasSubstr("needs original_max_position_embeddings"))
        << to_string(kind);
  }
}

TEST(Scaling, RefusesAFactorThatIsNotPositive) {
  EXPECT_THAT(model_error([] {
                (void)make_encoding(scaled_plan(ScalingKind::kLinear, 0.0, 0, rope_plan(64)), {});
              }),
              HasSubstr("scaling 'linear': factor is 0; expected a positive number"));
  EXPECT_THAT(model_error([] {
                (void)make_encoding(scaled_plan(ScalingKind::kDynamicNtk, 0.5, 64, rope_plan(64)),
                                    {});
              }),
              HasSubstr("factor is 0.5; expected 1 or more"));
}

TEST(Llama3, RefusesBandsInTheWrongOrder) {
  PositionPlan plan = scaled_plan(ScalingKind::kLlama3, 8.0, 8192, rope_plan(64));
  plan.scaling.low_frequency_factor = 4.0;
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }), HasSubstr("0 < low < high"));
}

TEST(Scaling, ClampedFrequenciesStayClamped) {
  for (const ScalingKind kind :
       {ScalingKind::kLinear, ScalingKind::kYarn, ScalingKind::kLlama3, ScalingKind::kDynamicNtk}) {
    PositionPlan plan = scaled_plan(kind, 16.0, 512, rope_plan(64));
    plan.floor_frequency = 2.0 * M_PI / 512;
    plan.clamp_order = position::ClampOrder::kClampThenScale;
    const std::vector<float> found = scaled(plan, 4096);
    SCOPED_TRACE(to_string(kind));
    EXPECT_THAT(std::vector<float>(found.begin() + 16, found.end()), Each(0.0F));
    EXPECT_GT(found[15], 0.0F);
  }
}

TEST(Scaling, OrderOfClampingDecidesWhatFallsBelowTheFloor) {
  // users.md B-33: halved before the floor is applied, more frequencies fall below it.
  PositionPlan plan = scaled_plan(ScalingKind::kLinear, 2.0, 512, rope_plan(64));
  plan.floor_frequency = 2.0 * M_PI / 1024;
  const auto survivors = [&](position::ClampOrder order) {
    plan.clamp_order = order;
    const std::vector<float> found = scaled(plan);
    return 32 - std::ranges::count(found, 0.0F);
  };
  EXPECT_EQ(survivors(position::ClampOrder::kClampThenScale), 18);
  EXPECT_EQ(survivors(position::ClampOrder::kScaleThenClamp), 16);
}

}  // namespace
}  // namespace yardstick::test
