// Every record of golden/hf_transformers/rope_tables.json: transformers' frequency lists and
// tables, read from its own words for them.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "models/arch/rope_fields.hpp"
#include "models/position/encoding.hpp"
#include "models/position/frequencies.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

using nlohmann::json;
using position::PositionPlan;

PositionPlan read_plan(const json& record) {
  const json values = {{"rope_parameters", record["rope_parameters"]},
                       {"max_position_embeddings", record["max_position_embeddings"]}};
  const Located located(values, "config.json");
  models::ConfigReader reader(located, "", "the configuration");
  PositionPlan plan;
  plan.heads = plan.kv_heads = 1;
  plan.head_dim = record["head_dim"];
  models::read_hf_rope(reader, plan);
  reader.finish();
  return plan;
}

void expect_table(const PositionPlan& plan, const json& table, std::int64_t length) {
  const auto found = position::frequency_table(plan, length);
  const std::vector<double> golden = table["inv_freq"];
  ASSERT_EQ(found.values.size(), golden.size());
  // The golden lists are f32 arithmetic; 4e-7 is about 4 units of their last place.
  for (std::size_t i = 0; i < golden.size(); ++i)
    EXPECT_NEAR(double(found.values[i]), golden[i], 4e-7 * golden[i]) << "pair " << i;
  EXPECT_NEAR(found.attention_factor, table["attention_scaling"].get<double>(), 1e-6);
}

TEST(TransformersRopeTables, EveryListIsReproduced) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int tables = 0;
  for (const json& record : read_json(shared_path("golden/hf_transformers/rope_tables.json"))) {
    SCOPED_TRACE(record["name"].get<std::string>());
    const PositionPlan plan = read_plan(record);
    for (const json& table : record["tables"]) {
      for (const std::int64_t length : table["seq_lens"]) {
        SCOPED_TRACE(length);
        expect_table(plan, table, length);
      }
      ++tables;
    }
  }
  EXPECT_GE(tables, 44);
}

}  // namespace
}  // namespace yardstick::test
