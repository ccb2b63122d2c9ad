// The plan's JSON, which `inspect` shows, and its fingerprint, which keys cells.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using nlohmann::json;
using position::PositionPlan;

std::string key(const PositionPlan& plan) {
  Fingerprint fingerprint;
  describe(plan, fingerprint);
  return fingerprint.hex();
}

TEST(PlanJson, RopeSpeaksInHuggingFaceNames) {
  PositionPlan plan = rope_plan(64, 500000.0);
  plan.training_length = 8192;
  plan.scaling.kind = position::ScalingKind::kLlama3;
  plan.scaling.factor = 8.0;
  plan.scaling.original_length = 8192;
  plan.sources = {{"rope_theta", "config.json: rope_theta"}};
  const json found = to_json(plan);
  EXPECT_EQ(found["kind"], "rope");
  EXPECT_EQ(found["rope_theta"], 500000.0);
  EXPECT_EQ(found["training_length"], 8192);
  EXPECT_EQ(found["scaling"]["rope_type"], "llama3");
  EXPECT_EQ(found["scaling"]["low_freq_factor"], 1.0);
  EXPECT_EQ(found["scaling"]["attention_factor"], 1.0);
  EXPECT_EQ(found["sources"]["rope_theta"], "config.json: rope_theta");
  EXPECT_FALSE(found.contains("fope"));
}

TEST(PlanJson, FopeNamesItsVariant) {
  PositionPlan plan = fope_plan(64, 512);
  plan.fope.input_count = 16;
  plan.fope.output_count = 16;
  const json found = to_json(plan);
  EXPECT_EQ(found["fope"]["zero_sin"], 1);
  EXPECT_EQ(found["fope"]["input_count"], 16);
  EXPECT_EQ(found["clamp_order"], "clamp_then_scale");
  EXPECT_EQ(found["scaling"]["rope_type"], "default");
}

TEST(PlanJson, UnknownTrainingLengthIsNull) {
  PositionPlan plan;
  EXPECT_TRUE(to_json(plan)["training_length"].is_null());
  EXPECT_FALSE(to_json(plan).contains("rope_theta"));
}

TEST(PlanJson, AlibiAndLearnedShowTheirOwnFields) {
  PositionPlan plan;
  plan.kind = position::Kind::kAlibi;
  plan.alibi.slopes = position::SlopeRule::kGeometric;
  EXPECT_EQ(to_json(plan)["alibi"]["slopes"], "geometric");
  plan.kind = position::Kind::kLearned;
  plan.table_rows = 64;
  EXPECT_EQ(to_json(plan)["table_rows"], 64);
}

TEST(PlanFingerprint, EveryNumberThatChangesAResultChangesTheKey) {
  using Change = std::function<void(PositionPlan&)>;
  const std::vector<Change> changes = {
      [](PositionPlan&) {},
      [](PositionPlan& p) { p.kind = position::Kind::kRope; },
      [](PositionPlan& p) { p.heads = 4; },
      [](PositionPlan& p) { p.kv_heads = 1; },
      [](PositionPlan& p) { p.head_dim = 128; },
      [](PositionPlan& p) { p.theta = 5.0; },
      [](PositionPlan& p) { p.rotary_dims = 32; },
      [](PositionPlan& p) { p.layout = position::PairLayout::kInterleaved; },
      [](PositionPlan& p) { p.floor_frequency = 0.5; },
      [](PositionPlan& p) { p.clamp_order = position::ClampOrder::kScaleThenClamp; },
      [](PositionPlan& p) { p.table_rows = 9; },
      [](PositionPlan& p) { p.alibi.slopes = position::SlopeRule::kGeometric; },
      [](PositionPlan& p) { p.alibi.bias_max = 16.0; },
      [](PositionPlan& p) { p.scaling.kind = position::ScalingKind::kLinear; },
      [](PositionPlan& p) { p.scaling.factor = 2.0; },
      [](PositionPlan& p) { p.scaling.original_length = 7; },
      [](PositionPlan& p) { p.scaling.low_frequency_factor = 2.0; },
      [](PositionPlan& p) { p.scaling.high_frequency_factor = 5.0; },
      [](PositionPlan& p) { p.scaling.beta_fast = 16.0; },
      [](PositionPlan& p) { p.scaling.beta_slow = 2.0; },
      [](PositionPlan& p) { p.scaling.yarn_mix = 0.5; },
      [](PositionPlan& p) { p.scaling.attention_factor = 1.0; },
      [](PositionPlan& p) { p.scaling.mscale = 1.0; },
      [](PositionPlan& p) { p.scaling.mscale_all_dim = 1.0; },
      [](PositionPlan& p) { p.scaling.short_factor = {1.0}; },
      [](PositionPlan& p) { p.scaling.long_factor = {1.0}; },
      [](PositionPlan& p) { p.fope.zero_pairs = position::ZeroPairs::kCosOneSinZero; },
      [](PositionPlan& p) { p.fope.heads = position::Fope::Heads::kShared; },
      [](PositionPlan& p) { p.fope.basis = position::Fope::Basis::kShared; },
      [](PositionPlan& p) {
        p.fope.coefficients = position::Fope::Coefficients::kColumnNormalised;
      },
      [](PositionPlan& p) { p.fope.zeros = position::Fope::Zeros::kKept; },
      [](PositionPlan& p) { p.fope.bank_dims = 256; },
      [](PositionPlan& p) { p.fope.input_count = 3; },
      [](PositionPlan& p) { p.fope.output_count = 3; }};
  std::set<std::string> keys;
  for (const Change& change : changes) {
    PositionPlan plan = fope_plan(64, 512);
    change(plan);
    keys.insert(key(plan));
  }
  EXPECT_EQ(keys.size(), changes.size());
}

TEST(PlanFingerprint, SourcesDoNotChangeTheKey) {
  PositionPlan plan = rope_plan(64);
  const std::string before = key(plan);
  plan.sources = {{"rope_theta", "config.json: rope_theta"}};
  EXPECT_EQ(key(plan), before);
}

}  // namespace
}  // namespace yardstick::test
