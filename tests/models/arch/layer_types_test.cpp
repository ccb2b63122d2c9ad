// Families whose window and full layers have rotary settings of their own, and objects of a
// configuration that nobody may leave half read.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using nlohmann::json;
using position::Kind;
using position::PositionPlan;
using position::ScalingKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

const json kYarn = {{"rope_type", "yarn"},
                    {"factor", 8},
                    {"original_max_position_embeddings", 8192},
                    {"rope_theta", 5e5}};
const json kPlain = {{"rope_type", "default"}, {"rope_theta", 777}};

json config_of(const std::string& type, const json& changes) {
  json config = {{"model_type", type},       {"vocab_size", 120},
                 {"hidden_size", 256},       {"intermediate_size", 64},
                 {"num_hidden_layers", 2},   {"num_attention_heads", 4},
                 {"num_key_value_heads", 2}, {"max_position_embeddings", 65536},
                 {"hidden_act", "silu"},     {"query_pre_attn_scalar", 64},
                 {"sliding_window", 16},     {"tie_word_embeddings", true}};
  if (!type.starts_with("gemma") && type != "cohere2") config.erase("query_pre_attn_scalar");
  if (type == "cohere2") config.erase("query_pre_attn_scalar");
  if (type.starts_with("gemma"))
    config["hidden_activation"] = "gelu_pytorch_tanh", config.erase("hidden_act");
  if (type.starts_with("qwen")) config["use_sliding_window"] = true;
  config.update(changes);
  return config;
}

DecoderConfig read(const std::string& type, const json& changes, const json& overrides = nullptr) {
  return read_values(config_of(type, changes), MemorySource(), {.position = overrides});
}

const PositionPlan& plan_of(const DecoderConfig& config, std::string_view type) {
  const auto& names = config.layer_plans.names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == type) return i == 0 ? config.position : config.layer_plans.others[i - 1];
  }
  throw Error(ErrorKind::kInternal, "no layers of this type");
}

const json kBothTypes = {"sliding_attention", "full_attention"};

// OLMo-core applies YaRN with full_attn_layers_only=True; transformers 4.57 builds the window
// layers' tables with rope_type "default".
TEST(LayerTypes, Olmo3ScalesItsFullLayersAlone) {
  for (const char* const key : {"rope_scaling", "rope_parameters"}) {
    const DecoderConfig config =
        read("olmo3", {{key, kYarn}, {"rope_theta", 5e5}, {"layer_types", kBothTypes}});
    EXPECT_EQ(plan_of(config, "full_attention").scaling.kind, ScalingKind::kYarn) << key;
    const PositionPlan& window = plan_of(config, "sliding_attention");
    EXPECT_EQ(window.scaling, position::Scaling{}) << key;
    EXPECT_EQ(window.theta, 5e5) << key;
    EXPECT_EQ(window.reach.window, 16) << key;
  }
}

TEST(LayerTypes, AnOverrideOfTheWholeModelScalesWhatItsConfigurationWould) {
  for (const char* const type : {"olmo3", "gemma2"}) {
    json scaling = kYarn;
    const DecoderConfig written =
        read(type, {{"rope_scaling", scaling}, {"rope_theta", 5e5}, {"layer_types", kBothTypes}});
    const DecoderConfig overridden = read(
        type, {{"rope_theta", 5e5}, {"max_position_embeddings", 8192}, {"layer_types", kBothTypes}},
        scaling);
    for (const char* const layers : {"full_attention", "sliding_attention"}) {
      EXPECT_EQ(plan_of(written, layers).scaling, plan_of(overridden, layers).scaling)
          << type << layers;
    }
  }
}

// Every family with both types of layers reads the object of each type.
TEST(LayerTypes, EachTypeHasItsOwnObject) {
  for (const char* const type : {"gemma2", "gemma3_text", "olmo3", "qwen2", "qwen3"}) {
    const DecoderConfig config =
        read(type, {{"rope_parameters", {{"full_attention", kYarn}, {"sliding_attention", kPlain}}},
                    {"layer_types", kBothTypes}});
    EXPECT_EQ(plan_of(config, "full_attention").scaling.kind, ScalingKind::kYarn) << type;
    EXPECT_EQ(plan_of(config, "full_attention").theta, 5e5) << type;
    EXPECT_EQ(plan_of(config, "sliding_attention").scaling.kind, ScalingKind::kNone) << type;
    EXPECT_EQ(plan_of(config, "sliding_attention").theta, 777.0) << type;
  }
}

TEST(LayerTypes, WhereOnlyWindowLayersRotateTheirOwnThetaHolds) {
  for (const char* const type : {"cohere2", "exaone4"}) {
    const DecoderConfig config =
        read(type, {{"rope_parameters", {{"full_attention", kYarn}, {"sliding_attention", kPlain}}},
                    {"layer_types", kBothTypes}});
    EXPECT_EQ(plan_of(config, "sliding_attention").theta, 777.0) << type;
    EXPECT_EQ(plan_of(config, "sliding_attention").scaling.kind, ScalingKind::kNone) << type;
    EXPECT_EQ(plan_of(config, "full_attention").kind, Kind::kNone) << type;
  }
}

TEST(LayerTypes, AModelOfWindowLayersTakesTheirObject) {
  for (const char* const type : {"mistral", "ministral3", "phi3"}) {
    EXPECT_EQ(read(type, {{"rope_parameters", {{"sliding_attention", kPlain}}}}).position.theta,
              777.0)
        << type;
    EXPECT_THAT(error_message([&] {
                  (void)read(type, {{"rope_parameters", {{"full_attention", kPlain}}}});
                }),
                HasSubstr("has no settings for sliding_attention"))
        << type;
  }
}

// Gemma 3 report: local layers have theta 10000, whatever the global ones have.
TEST(LayerTypes, Gemma3sWindowLayersHaveADefaultOfTheirOwn) {
  const json ropes = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 1e6}}},
                      {"sliding_attention", {{"rope_type", "default"}}}};
  const auto theta = [&](const json& more) {
    json changes = {{"rope_parameters", ropes}, {"layer_types", kBothTypes}};
    changes.update(more);
    return plan_of(read("gemma3_text", changes), "sliding_attention").theta;
  };
  EXPECT_EQ(theta(json::object()), 10000.0);
  EXPECT_EQ(theta({{"rope_local_base_freq", 5000}}), 5000.0);
}

TEST(LayerTypes, ATypeWithLayersNeedsItsObject) {
  EXPECT_THAT(error_message([] {
                (void)read("gemma2", {{"rope_parameters", {{"full_attention", kPlain}}},
                                      {"layer_types", kBothTypes}});
              }),
              HasSubstr("has no settings for sliding_attention"));
}

// In 11 of 12 families a release read one member of a nested rope_parameters and dropped the
// others.
TEST(LayerTypes, NoObjectIsLeftUnread) {
  const json nested = {
      {"full_attention", {{"rope_type", "default"}, {"rope_theta", 1e6}}},
      {"sliding_attention", {{"rope_type", "banana"}, {"rope_theta", 777.0}, {"nonsense", 1}}}};
  for (const models::Architecture* const architecture : models::architectures()) {
    const std::string type(architecture->name());
    for (const std::string known :
         {"gemma2", "gemma3_text", "olmo3", "qwen2", "qwen3", "cohere2", "exaone4", "llama",
          "mistral", "ministral3", "phi3", "olmo2", "smollm3", "granite"}) {
      if (type != known) continue;
      json config = config_of(type, {{"rope_parameters", nested}});
      if (type == "llama" || type == "olmo2" || type == "smollm3" || type == "granite")
        config.erase("sliding_window");
      const std::string message = error_message([&] { (void)read_values(config, MemorySource()); });
      EXPECT_THAT(message, HasSubstr("rope_parameters.sliding_attention")) << type;
    }
  }
}

TEST(LayerTypes, UnknownKeysAreRefusedAtEveryDepth) {
  EXPECT_THAT(error_message([] {
                (void)read("qwen3",
                           {{"rope_parameters",
                             {{"full_attention", kPlain},
                              {"sliding_attention", {{"rope_type", "default"}, {"nonsense", 1}}}}},
                            {"layer_types", kBothTypes}});
              }),
              AllOf(HasSubstr("unknown key 'rope_parameters.sliding_attention.nonsense'"),
                    HasSubstr("m/config.json")));
  json config = config_of(
      "llama", {{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2}, {"nonsense", 1}}}});
  config.erase("sliding_window");
  EXPECT_THAT(error_message([&] { (void)read_values(config, MemorySource()); }),
              HasSubstr("unknown key 'rope_scaling.nonsense'"));
}

TEST(LayerTypes, ErrorsSayTheWholePath) {
  EXPECT_THAT(
      error_message([] {
        (void)read("gemma2",
                   {{"rope_parameters",
                     {{"full_attention", kPlain}, {"sliding_attention", {{"rope_theta", "much"}}}}},
                    {"layer_types", kBothTypes}});
      }),
      HasSubstr("m/config.json: rope_parameters.sliding_attention.rope_theta: found"));
}

}  // namespace
}  // namespace yardstick::test
