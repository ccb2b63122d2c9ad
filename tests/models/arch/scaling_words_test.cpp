// A scaling means the same wherever it stands: in a checkpoint's configuration and as an override.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using nlohmann::json;
using position::PositionPlan;

constexpr std::int64_t kTrained = 512;

/// Eight pairs: head_dim 16.
PositionPlan read(const json& scaling, const json& overrides) {
  json config = {{"model_type", "llama"},       {"vocab_size", 120},
                 {"hidden_size", 64},           {"intermediate_size", 64},
                 {"num_hidden_layers", 1},      {"num_attention_heads", 4},
                 {"tie_word_embeddings", true}, {"max_position_embeddings", kTrained}};
  if (!scaling.is_null()) config["rope_scaling"] = scaling;
  return read_values(config, MemorySource(), {.position = overrides}).position;
}

std::string key_of(const PositionPlan& plan) {
  Fingerprint print;
  describe(plan, print);
  return print.hex();
}

/// What a plan says, without where its values come from.
json plan_of(const PositionPlan& plan) {
  json text = to_json(plan);
  text.erase("sources");
  return text;
}

/// A rule with every key that it accepts, and another value of each.
struct Rule {
  json keys;
  json others;
};

std::vector<Rule> rules() {
  const json list = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
  const json longer = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  const json original = kTrained;
  return {
      {{{"rope_type", "linear"}, {"factor", 2}, {"original_max_position_embeddings", 512}},
       {{"factor", 3}, {"original_max_position_embeddings", 256}}},
      {{{"rope_type", "ntk"}, {"factor", 2}, {"original_max_position_embeddings", 512}},
       {{"factor", 3}, {"original_max_position_embeddings", 256}}},
      {{{"rope_type", "ntk_by_parts"}, {"factor", 2}, {"original_max_position_embeddings", 512}},
       {{"factor", 3}, {"original_max_position_embeddings", 256}}},
      {{{"rope_type", "dynamic"}, {"factor", 2}}, {{"factor", 3}}},
      {{{"rope_type", "dynamic_linear"}, {"original_max_position_embeddings", 512}},
       {{"original_max_position_embeddings", 256}}},
      {{{"rope_type", "dynamic_yarn"},
        {"original_max_position_embeddings", 512},
        {"beta_fast", 24},
        {"beta_slow", 2}},
       {{"original_max_position_embeddings", 256}, {"beta_fast", 16}, {"beta_slow", 1}}},
      {{{"rope_type", "yarn"},
        {"factor", 4},
        {"original_max_position_embeddings", 512},
        {"beta_fast", 24},
        {"beta_slow", 2},
        {"mscale", 1.0},
        {"mscale_all_dim", 0.5},
        {"truncate", false}},
       {{"factor", 3},
        {"original_max_position_embeddings", 256},
        {"beta_fast", 16},
        {"beta_slow", 1},
        {"mscale", 0.7},
        {"mscale_all_dim", 0.8},
        {"truncate", true}}},
      {{{"rope_type", "yarn"},
        {"factor", 4},
        {"original_max_position_embeddings", 512},
        {"attention_factor", 1.2}},
       {{"attention_factor", 1.3}}},
      {{{"rope_type", "llama3"},
        {"factor", 4},
        {"original_max_position_embeddings", 512},
        {"low_freq_factor", 1},
        {"high_freq_factor", 4}},
       {{"factor", 3},
        {"original_max_position_embeddings", 256},
        {"low_freq_factor", 2},
        {"high_freq_factor", 8}}},
      {{{"rope_type", "longrope"},
        {"factor", 8},
        {"original_max_position_embeddings", 512},
        {"short_factor", list},
        {"long_factor", longer}},
       {{"factor", 4},
        {"original_max_position_embeddings", 256},
        {"short_factor", longer},
        {"long_factor", list}}},
      {{{"rope_type", "longrope"},
        {"factor", 8},
        {"original_max_position_embeddings", 512},
        {"short_factor", list},
        {"long_factor", longer},
        {"short_mscale", 1.1},
        {"long_mscale", 1.2}},
       {{"short_mscale", 1.3}, {"long_mscale", 1.4}}},
      {{{"rope_type", "proportional"}, {"factor", 2}, {"partial_rotary_factor", 0.5}},
       {{"factor", 3}, {"partial_rotary_factor", 0.25}}},
  };
}

TEST(ScalingWords, TheOverrideAndTheConfigurationGiveTheSameBits) {
  for (const Rule& rule : rules()) {
    const PositionPlan written = read(rule.keys, nullptr);
    const PositionPlan overridden = read(nullptr, rule.keys);
    EXPECT_EQ(key_of(written), key_of(overridden)) << rule.keys.dump();
    for (const std::int64_t length : {256, 512, 513, 2048}) {
      EXPECT_EQ(position::frequency_table(written, length).values,
                position::frequency_table(overridden, length).values)
          << rule.keys.dump() << length;
      EXPECT_EQ(position::attention_factor(written.scaling, length),
                position::attention_factor(overridden.scaling, length))
          << rule.keys.dump();
    }
  }
}

TEST(ScalingWords, EveryKeyThatIsAcceptedChangesThePlan) {
  for (const Rule& rule : rules()) {
    for (const auto& [key, value] : rule.others.items()) {
      json changed = rule.keys;
      changed[key] = value;
      EXPECT_NE(plan_of(read(rule.keys, nullptr)), plan_of(read(changed, nullptr)))
          << key << rule.keys.dump();
      EXPECT_NE(plan_of(read(nullptr, rule.keys)), plan_of(read(nullptr, changed)))
          << key << rule.keys.dump();
    }
  }
}

/// The tables above have every kind, so that a new one cannot be forgotten.
TEST(ScalingWords, EveryKindIsTested) {
  std::set<std::string> tested = {"default"};
  for (const Rule& rule : rules()) tested.insert(rule.keys["rope_type"].get<std::string>());
  for (int kind = 0; kind <= static_cast<int>(position::ScalingKind::kProportional); ++kind) {
    const auto name = to_string(static_cast<position::ScalingKind>(kind));
    EXPECT_TRUE(tested.contains(std::string(name))) << name;
  }
}

// transformers 5.12: sqrt(1 + ln 8 / ln 512) = 1.1547, from the factor that the object gives.
TEST(ScalingWords, LongRopeTakesTheGivenFactor) {
  const json list = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const PositionPlan plan = read({{"rope_type", "longrope"},
                                  {"factor", 8},
                                  {"original_max_position_embeddings", 512},
                                  {"short_factor", list},
                                  {"long_factor", list}},
                                 nullptr);
  EXPECT_NEAR(position::attention_factor(plan.scaling, 0),
              std::sqrt(1.0 + std::log(8.0) / std::log(512.0)), 1e-15);
  EXPECT_NEAR(position::attention_factor(plan.scaling, 0), 1.1547, 5e-5);
}

TEST(ScalingWords, WithoutAScalingThereIsOneLength) {
  const std::string message = error_message([] {
    (void)read(nullptr, {{"rope_type", "default"}, {"original_max_position_embeddings", 99}});
  });
  EXPECT_THAT(message, ::testing::HasSubstr("original_max_position_embeddings: is 99"));
}

}  // namespace
}  // namespace yardstick::test
