// Arcee configurations, with the keys of the transformers library's ArceeConfig.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

nlohmann::json arcee(const nlohmann::json& changes) {
  nlohmann::json config = {{"model_type", "arcee"},
                           {"architectures", {"ArceeForCausalLM"}},
                           {"vocab_size", 120},
                           {"hidden_size", 48},
                           {"intermediate_size", 64},
                           {"num_hidden_layers", 2},
                           {"num_attention_heads", 4},
                           {"num_key_value_heads", 2},
                           {"head_dim", 16},
                           {"hidden_act", "relu2"},
                           {"attention_bias", false},
                           {"mlp_bias", true},
                           {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}}},
                           {"tie_word_embeddings", false}};
  if (!changes.is_null()) config.update(changes);  // {} is null
  return config;
}

MemorySource source_with_head() {
  MemorySource source;
  source.add("lm_head.weight", {120, 48});
  return source;
}

TEST(Arcee, TheMlpIsPlainAndItsActivationSquared) {
  const models::DecoderConfig config = read_values(arcee({}), source_with_head());
  EXPECT_EQ(config.mlp, models::MlpForm::kPlain);
  EXPECT_EQ(config.activation, models::Activation::kReluSquared);
  EXPECT_EQ(config.mlp_biases, models::Biases::kPresent);
  EXPECT_EQ(config.attention_biases, models::Biases::kAbsent);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.position.theta, 5e5);
  // Not in the file: the library's own values.
  EXPECT_EQ(config.norm.epsilon, 1e-5);
  EXPECT_EQ(config.position.training_length, 4096);
}

TEST(Arcee, ItsTensorsHaveNoGate) {
  const models::DecoderConfig config = read_values(arcee({}), source_with_head());
  std::vector<std::string> mlp;
  for (const models::TensorSlot& slot :
       architecture_named("arcee").slots(config, source_with_head())) {
    if (slot.source.starts_with("model.layers.1.mlp.")) mlp.push_back(slot.source);
  }
  EXPECT_THAT(mlp, testing::UnorderedElementsAre(
                       "model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.up_proj.bias",
                       "model.layers.1.mlp.down_proj.weight", "model.layers.1.mlp.down_proj.bias"));
}

TEST(Arcee, AKeyThatNobodyReadsIsRefused) {
  EXPECT_THAT(error_message([] {
                (void)read_values(arcee({{"attention_multiplier", 2.0}}), source_with_head());
              }),
              testing::HasSubstr("attention_multiplier"));
}

}  // namespace
}  // namespace yardstick::test
