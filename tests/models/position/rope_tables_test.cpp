// Every record of golden/rope_tables: frequency lists of Hugging Face
// transformers and of the YaRN authors' repository, and ALiBi slopes of three code bases.
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "models/position/frequencies.hpp"
#include "tests/models/position/support.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

using nlohmann::json;
using position::PositionPlan;
using position::ScalingKind;

std::int64_t length_of(const json& params, const json& scaling) {
  if (scaling.contains("original_max_position_embeddings")) {
    return scaling["original_max_position_embeddings"];
  }
  const json& outer = params["original_max_position_embeddings"];
  return outer.is_null() ? params["max_position_embeddings"].get<std::int64_t>()
                         : outer.get<std::int64_t>();
}

void read_optional(std::optional<double>& to, const json& scaling, const char* key) {
  if (scaling.contains(key)) to = scaling[key].get<double>();
}

void set_transformers_scaling(PositionPlan& plan, const json& record) {
  static const std::map<std::string, ScalingKind> kKinds = {{"linear", ScalingKind::kLinear},
                                                            {"dynamic", ScalingKind::kDynamicNtk},
                                                            {"yarn", ScalingKind::kYarn},
                                                            {"llama3", ScalingKind::kLlama3},
                                                            {"longrope", ScalingKind::kLongRope}};
  const json& params = record["params"];
  const json& scaling = params["rope_scaling"];
  if (scaling.is_null()) return;
  position::Scaling& to = plan.scaling;
  to.kind = kKinds.at(scaling["rope_type"]);
  to.original_length = length_of(params, scaling);
  const double implied =
      params["max_position_embeddings"].get<double>() / static_cast<double>(to.original_length);
  to.factor = scaling.value("factor", to.kind == ScalingKind::kLongRope ? implied : 1.0);
  to.beta_fast = scaling.value("beta_fast", 32.0);
  to.beta_slow = scaling.value("beta_slow", 1.0);
  to.low_frequency_factor = scaling.value("low_freq_factor", 1.0);
  to.high_frequency_factor = scaling.value("high_freq_factor", 4.0);
  read_optional(to.attention_factor, scaling, "attention_factor");
  read_optional(to.mscale, scaling, "mscale");
  read_optional(to.mscale_all_dim, scaling, "mscale_all_dim");
  if (scaling.contains("short_factor")) scaling["short_factor"].get_to(to.short_factor);
  if (scaling.contains("long_factor")) scaling["long_factor"].get_to(to.long_factor);
}

/// The classes of the YaRN repository, whose records have parameters of their own.
bool set_yarn_repository_scaling(PositionPlan& plan, const json& record) {
  const std::string type = record["type"];
  const json& params = record["params"];
  position::Scaling& to = plan.scaling;
  if (type == "ntk") {
    to.kind = ScalingKind::kNtk;
    to.factor = params["alpha"];
  } else if (type == "ntk_by_parts") {
    to.kind = ScalingKind::kNtkByParts;
    to.factor = params["factor"];
    to.original_length = params["original_max_position_embeddings"];
  } else if (type == "yarn") {
    to.kind = ScalingKind::kYarn;
    to.factor = params["factor"];
    to.original_length = params["original_max_position_embeddings"];
    to.beta_fast = params["beta_fast"];
    to.beta_slow = params["beta_slow"];
    to.yarn_mix = params["extrapolation_factor"];
  } else if (type == "dyn_linear") {
    to.kind = ScalingKind::kDynamicLinear;
    to.original_length = params["max_position_embeddings"];
  } else if (type == "dyn_ntk") {
    to.kind = ScalingKind::kDynamicNtk;
    to.original_length = params["max_position_embeddings"];
  } else if (type == "dyn_yarn") {
    to.kind = ScalingKind::kDynamicYarn;
    to.original_length = params["original_max_position_embeddings"];
  } else {
    return false;
  }
  return true;
}

void expect_list(const json& record, const PositionPlan& plan, std::int64_t total_length) {
  const auto table = position::frequency_table(plan, total_length);
  const std::vector<double> golden = record["inv_freq"];
  ASSERT_EQ(table.values.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    // The golden lists are f32 arithmetic; 4e-7 is about 4 units of their last place.
    EXPECT_NEAR(table.values[i], golden[i], 4e-7 * golden[i]) << "pair " << i;
  }
  EXPECT_NEAR(table.attention_factor, record["attention_factor"].get<double>(), 1e-7);
}

void expect_rows(const json& record, const PositionPlan& plan, std::int64_t total_length) {
  const auto encoding = make_encoding(plan, {});
  const std::vector<std::int64_t> positions = record["positions"];
  for (std::size_t row = 0; row < positions.size(); ++row) {
    const Tables found = fill(
        *encoding, {.first_position = positions[row], .count = 1, .total_length = total_length});
    const std::vector<double> cos = record["cos"][row];
    const std::vector<double> sin = record["sin"][row];
    // Angles up to 1535 rad in f32: one unit of the last place is 1.2e-4 rad.
    for (std::size_t i = 0; i < found.cos.size(); ++i) {
      EXPECT_NEAR(found.cos[i], cos[i], 4e-4) << "position " << positions[row] << " pair " << i;
      EXPECT_NEAR(found.sin[i], sin[i], 4e-4) << "position " << positions[row] << " pair " << i;
    }
  }
}

TEST(RopeTables, EveryRecordIsReproduced) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  std::map<std::string, int> compared;
  for (const json& record : read_json(shared_path("golden/rope_tables/rope_tables.json"))) {
    SCOPED_TRACE(record["id"].get<std::string>());
    PositionPlan plan = rope_plan(record["head_dim"], record["rope_theta"]);
    const json& params = record["params"];
    if (params.contains("rope_scaling")) {
      set_transformers_scaling(plan, record);
    } else if (!set_yarn_repository_scaling(plan, record)) {
      ADD_FAILURE() << "a method without a scaling";
      continue;
    }
    const json length = params.value("seq_len", json());
    const std::int64_t total = length.is_null() ? 0 : length.get<std::int64_t>();
    if (record.contains("inv_freq")) {
      expect_list(record, plan, total);
    } else {
      expect_rows(record, plan, total);
    }
    ++compared[record["type"]];
  }
  const std::map<std::string, int> expected = {
      {"default", 4}, {"linear", 8},   {"dynamic", 72},     {"ntk", 8},
      {"yarn", 60},   {"llama3", 8},   {"longrope", 8},     {"dyn_linear", 4},
      {"dyn_ntk", 4}, {"dyn_yarn", 4}, {"ntk_by_parts", 24}};
  EXPECT_EQ(compared, expected);
}

void expect_slopes(const json& golden, std::int64_t heads, position::SlopeRule rule) {
  PositionPlan plan;
  plan.kind = position::Kind::kAlibi;
  plan.heads = heads;
  plan.kv_heads = heads;
  plan.head_dim = 8;
  plan.alibi.slopes = rule;
  const std::vector<double> found = make_encoding(plan, {})->bias_slopes(0);
  ASSERT_EQ(found.size(), golden.size());
  for (std::size_t h = 0; h < found.size(); ++h) {
    // BLOOM's list is f32 powers of an f32 base, off by up to 5.2e-7.
    EXPECT_NEAR(found[h], golden[h].get<double>(), 6e-7 * found[h]) << "head " << h;
  }
}

TEST(AlibiSlopes, BothRulesAgreeWithTheStoredCodeBases) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for (const json& record : read_json(shared_path("golden/rope_tables/alibi_slopes.json"))) {
    const std::int64_t heads = record["n_heads"];
    SCOPED_TRACE(heads);
    for (const char* family : {"original", "bloom", "mpt"}) {
      SCOPED_TRACE(family);
      expect_slopes(record[family], heads, position::SlopeRule::kInterleaved);
    }
    expect_slopes(record["olmo"], heads, position::SlopeRule::kGeometric);
  }
}

}  // namespace
}  // namespace yardstick::test
