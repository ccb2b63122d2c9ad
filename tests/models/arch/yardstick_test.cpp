// The layout of the project's own models: what is written reads back the same.
#include "models/arch/yardstick.hpp"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/position/frequencies.hpp"
#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using position::Kind;
using position::PositionPlan;
using ::testing::AllOf;
using ::testing::HasSubstr;

DecoderConfig decoder(Kind kind) {
  DecoderConfig config;
  config.architecture = "yardstick";
  config.vocabulary = 300;
  config.width = 64;
  config.layers = 2;
  config.heads = 2;
  config.kv_heads = 2;
  config.head_dim = 32;
  config.mlp_width = 96;
  config.norm.epsilon = 1e-6;
  config.head = models::Head::kTied;
  PositionPlan& plan = config.position;
  plan.kind = kind;
  plan.heads = 2;
  plan.kv_heads = 2;
  plan.head_dim = 32;
  plan.training_length = 128;
  if (kind == Kind::kRope || kind == Kind::kFope) plan.rotary_dims = 32;
  return config;
}

DecoderConfig fope_decoder() {
  DecoderConfig config = decoder(Kind::kFope);
  PositionPlan& plan = config.position;
  plan.floor_frequency = 2.0 * std::numbers::pi / 128.0;
  const position::FopeCounts counts = position::fope_counts(plan);
  plan.fope.input_count = counts.input;
  plan.fope.output_count = counts.output;
  return config;
}

/// Written, read back, without the sources, which tell of the file.
DecoderConfig round_trip(const DecoderConfig& config) {
  DecoderConfig back = read_values(models::yardstick_config(config), MemorySource());
  back.position.sources.clear();
  return back;
}

TEST(YardstickConfig, ReadsBackWhatWasWritten) {
  for (const Kind kind : {Kind::kRope, Kind::kAlibi, Kind::kNone}) {
    const DecoderConfig config = decoder(kind);
    EXPECT_EQ(round_trip(config), config) << to_string(kind);
  }
  EXPECT_EQ(round_trip(fope_decoder()), fope_decoder());
}

TEST(YardstickConfig, ReadsBackVariants) {
  DecoderConfig config = fope_decoder();
  config.position.fope.zero_pairs = position::ZeroPairs::kCosOneSinZero;
  config.position.scaling = {.kind = position::ScalingKind::kYarn,
                             .factor = 4.0,
                             .original_length = 128,
                             .beta_fast = 16.0,
                             .attention_factor = 1.0};
  config.mlp_biases = models::Biases::kPresent;
  EXPECT_EQ(round_trip(config), config);

  DecoderConfig alibi = decoder(Kind::kAlibi);
  alibi.position.alibi = {.slopes = position::SlopeRule::kGeometric, .bias_max = 6.0};
  EXPECT_EQ(round_trip(alibi), alibi);
}

TEST(YardstickConfig, SizesOfFopeComeFromTheFile) {
  MemorySource source;
  source.add("model.layers.0.self_attn.fope.cos_coef", {2, 5, 3});
  const auto config = read_values(models::yardstick_config(fope_decoder()), source);
  EXPECT_EQ(config.position.fope.input_count, 5);
  EXPECT_EQ(config.position.fope.output_count, 3);
}

TEST(YardstickConfig, FloorDefaultsToOneTurnInTheTrainingLength) {
  nlohmann::json written = models::yardstick_config(fope_decoder());
  written["position"].erase("floor_frequency");
  EXPECT_EQ(read_values(written, MemorySource()).position.floor_frequency,
            2.0 * std::numbers::pi / 128.0);
}

TEST(YardstickConfig, CoefficientsInAnotherModelAreRefused) {
  MemorySource source;
  source.add("model.layers.0.self_attn.fope.cos_coef", {2, 5, 3});
  EXPECT_THAT(error_message([&] {
                (void)read_values(models::yardstick_config(decoder(Kind::kRope)), source);
              }),
              AllOf(HasSubstr("rope"), HasSubstr("cos_coef")));
}

TEST(YardstickConfig, ADecoderWithoutWordsForItIsRefused) {
  DecoderConfig config = decoder(Kind::kRope);
  config.norm.kind = models::NormKind::kLayer;
  EXPECT_THAT(error_message([&] { (void)models::yardstick_config(config); }), HasSubstr("norm"));
}

TEST(YardstickNames, AreThoseOfLlama) {
  EXPECT_EQ(models::yardstick_tensor_name("embed.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(models::yardstick_tensor_name("head.weight"), "lm_head.weight");
  EXPECT_EQ(models::yardstick_tensor_name("norm.weight"), "model.norm.weight");
  EXPECT_EQ(models::yardstick_tensor_name("layers.12.q.weight"),
            "model.layers.12.self_attn.q_proj.weight");
  EXPECT_EQ(models::yardstick_tensor_name("layers.0.o.bias"),
            "model.layers.0.self_attn.o_proj.bias");
  EXPECT_EQ(models::yardstick_tensor_name("layers.1.mlp_norm.weight"),
            "model.layers.1.post_attention_layernorm.weight");
  EXPECT_EQ(models::yardstick_tensor_name("layers.1.fope.sin_coef"),
            "model.layers.1.self_attn.fope.sin_coef");
  EXPECT_THROW((void)models::yardstick_tensor_name("layers.1.attn_post_norm.weight"), Error);
}

}  // namespace
}  // namespace yardstick::test
