// Position overrides: HF's rope_parameters names, each recorded as the value's source.
#include "models/arch/overrides.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using position::Kind;
using position::PositionPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;

PositionPlan plan_of(Kind kind) {
  PositionPlan plan;
  plan.kind = kind;
  plan.heads = 4;
  plan.kv_heads = 4;
  plan.head_dim = 16;
  plan.rotary_dims = 16;
  plan.training_length = 64;
  return plan;
}

models::DecoderConfig config_of(PositionPlan plan) {
  models::DecoderConfig config;
  config.position = std::move(plan);
  return config;
}

PositionPlan applied(Kind kind, const nlohmann::json& overrides) {
  models::DecoderConfig config = config_of(plan_of(kind));
  models::apply_position_overrides(overrides, config);
  return config.position;
}

std::string message(Kind kind, const nlohmann::json& overrides) {
  return error_message([&] { (void)applied(kind, overrides); });
}

TEST(Overrides, NothingChangesNothing) {
  EXPECT_EQ(applied(Kind::kRope, nullptr), plan_of(Kind::kRope));
  EXPECT_EQ(applied(Kind::kRope, nlohmann::json::object()), plan_of(Kind::kRope));
}

TEST(Overrides, AScalingCountsFromTheTrainingLength) {
  const PositionPlan plan = applied(Kind::kRope, {{"rope_type", "yarn"}, {"factor", 4}});
  EXPECT_EQ(plan.scaling.kind, position::ScalingKind::kYarn);
  EXPECT_EQ(plan.scaling.factor, 4.0);
  EXPECT_EQ(plan.scaling.original_length, 64);
  EXPECT_EQ(plan.training_length, 64);
  EXPECT_EQ(source_of(plan, "scaling.factor"), "override: factor");
  EXPECT_THAT(source_of(plan, "scaling.original_max_position_embeddings"),
              HasSubstr("training length"));
}

TEST(Overrides, DefaultTakesAScalingAway) {
  models::DecoderConfig config =
      config_of(applied(Kind::kRope, {{"rope_type", "linear"}, {"factor", 4}}));
  models::apply_position_overrides({{"rope_type", "default"}}, config);
  EXPECT_EQ(config.position.scaling, position::Scaling());
}

TEST(Overrides, ThetaAloneKeepsTheRest) {
  const PositionPlan plan = applied(Kind::kRope, {{"rope_theta", 1e6}});
  EXPECT_EQ(plan.theta, 1e6);
  EXPECT_EQ(source_of(plan, "rope_theta"), "override: rope_theta");
}

TEST(Overrides, PaperPairsAreForFopeOnly) {
  EXPECT_EQ(applied(Kind::kFope, {{"zero_pairs", "paper"}}).fope.zero_pairs,
            position::ZeroPairs::kCosOneSinZero);
  EXPECT_THAT(message(Kind::kRope, {{"zero_pairs", "paper"}}),
              AllOf(HasSubstr("zero_pairs"), HasSubstr("'rope'")));
}

TEST(Overrides, NoneForgetsTheEncoding) {
  const PositionPlan plan = applied(Kind::kRope, {{"kind", "none"}});
  EXPECT_EQ(plan.kind, Kind::kNone);
  EXPECT_EQ(plan.heads, 4);
  EXPECT_EQ(plan.training_length, 64);
  EXPECT_EQ(source_of(plan, "kind"), "override: kind");
}

TEST(Overrides, FopeCannotBeMadeFromNothing) {
  EXPECT_THAT(message(Kind::kRope, {{"kind", "fope"}}), HasSubstr("coefficients"));
}

TEST(Overrides, AnUnknownKeyNamesTheNearest) {
  EXPECT_THAT(message(Kind::kRope, {{"rope_thetta", 1}}),
              AllOf(HasSubstr("'rope_thetta'"), HasSubstr("did you mean 'rope_theta'")));
}

TEST(Overrides, AFactorNeedsAType) {
  EXPECT_THAT(message(Kind::kRope, {{"factor", 4}}), HasSubstr("rope_type"));
}

TEST(Overrides, RotaryKeysNeedARotaryModel) {
  EXPECT_THAT(message(Kind::kAlibi, {{"rope_theta", 1e6}}),
              AllOf(HasSubstr("rope_theta"), HasSubstr("'alibi'")));
}

TEST(Overrides, AnythingButAnObjectIsRefused) {
  EXPECT_THAT(message(Kind::kRope, 4), HasSubstr("override"));
}

}  // namespace
}  // namespace yardstick::test
