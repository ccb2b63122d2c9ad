// LLaMA configurations. Meanings of the keys: the transformers library's LlamaConfig and rope
// utilities; the golden folders hold real files of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::Biases;
using models::DecoderConfig;
using models::Head;
using position::ScalingKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

nlohmann::json base_config() {
  return {{"model_type", "llama"},
          {"architectures", {"LlamaForCausalLM"}},
          {"vocab_size", 120},
          {"hidden_size", 48},
          {"intermediate_size", 64},
          {"num_hidden_layers", 2},
          {"num_attention_heads", 4},
          {"num_key_value_heads", 2},
          {"max_position_embeddings", 64},
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 500000},
          {"tie_word_embeddings", true}};
}

nlohmann::json with(nlohmann::json config, const nlohmann::json& changes) {
  if (!changes.is_null()) config.update(changes);  // {} is null
  return config;
}

DecoderConfig read(const nlohmann::json& changes) {
  return read_values(with(base_config(), changes), MemorySource());
}

std::string message(const nlohmann::json& changes) {
  return error_message([&] { (void)read(changes); });
}

TEST(Llama, EveryFieldIsReadAndHasASource) {
  const DecoderConfig config = read({});
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.vocabulary, 120);
  EXPECT_EQ(config.width, 48);
  EXPECT_EQ(config.layers, 2);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.head_dim, 12);
  EXPECT_EQ(config.mlp_width, 64);
  EXPECT_EQ(config.norm.epsilon, 1e-5);
  EXPECT_EQ(config.attention_biases, Biases::kAbsent);
  EXPECT_EQ(config.head, Head::kTied);
  EXPECT_EQ(config.position.kind, position::Kind::kRope);
  EXPECT_EQ(config.position.theta, 500000.0);
  EXPECT_EQ(config.position.rotary_dims, 12);
  EXPECT_EQ(config.position.training_length, 64);
  EXPECT_EQ(source_of(config.position, "rope_theta"), "config.json: rope_theta");
  EXPECT_EQ(source_of(config.position, "training_length"), "config.json: max_position_embeddings");
  EXPECT_EQ(source_of(config.position, "head_dim"),
            "config.json: hidden_size / num_attention_heads");
  EXPECT_EQ(source_of(config.position, "scaling.rope_type"),
            "default, for config.json has no rope_scaling");
}

TEST(Llama, BiasKeysCoverAllProjections) {
  const DecoderConfig config = read({{"attention_bias", true}, {"mlp_bias", true}});
  EXPECT_EQ(config.attention_biases, Biases::kPresent);
  EXPECT_EQ(config.attention_out_bias, Biases::kPresent);
  EXPECT_EQ(config.mlp_biases, Biases::kPresent);
}

TEST(LlamaRope, TypeIsAnAliasOfRopeType) {
  const auto legacy = read({{"rope_scaling", {{"type", "linear"}, {"factor", 4}}}});
  const auto modern = read({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 4.0}}}});
  EXPECT_EQ(legacy.position.scaling, modern.position.scaling);
  EXPECT_EQ(legacy.position.scaling.kind, ScalingKind::kLinear);
  EXPECT_EQ(legacy.position.scaling.factor, 4.0);
  EXPECT_EQ(legacy.position.training_length, 64);
}

TEST(LlamaRope, TwoTypesThatDisagreeAreRefused) {
  EXPECT_THAT(
      message({{"rope_scaling", {{"type", "linear"}, {"rope_type", "yarn"}, {"factor", 4}}}}),
      AllOf(HasSubstr("config.json"), HasSubstr("linear"), HasSubstr("yarn")));
}

TEST(LlamaRope, AnUnknownTypeIsRefusedByName) {
  EXPECT_THAT(message({{"rope_scaling", {{"rope_type", "yarnn"}, {"factor", 4}}}}),
              AllOf(HasSubstr("'yarnn'"), HasSubstr("did you mean 'yarn'"), HasSubstr("longrope")));
}

TEST(LlamaRope, AFactorWithoutATypeIsRefused) {
  EXPECT_THAT(message({{"rope_scaling", {{"factor", 4}}}}), HasSubstr("rope_type"));
}

TEST(LlamaRope, AKeyOfAnotherScalingIsRefused) {
  EXPECT_THAT(
      message({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2}, {"beta_fast", 32}}}}),
      AllOf(HasSubstr("beta_fast"), HasSubstr("'linear'")));
}

TEST(LlamaRope, AnUnknownKeyInsideIsRefused) {
  EXPECT_THAT(message({{"rope_scaling", {{"rope_type", "linear"}, {"factor", 2}, {"fractor", 3}}}}),
              AllOf(HasSubstr("'rope_scaling.fractor'"), HasSubstr("did you mean 'factor'")));
}

TEST(LlamaRope, YarnNeedsTheOriginalLengthAndTrainsAtIt) {
  EXPECT_THAT(message({{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}}}}),
              HasSubstr("original_max_position_embeddings"));
  const auto config = read({{"max_position_embeddings", 256},
                            {"rope_scaling",
                             {{"rope_type", "yarn"},
                              {"factor", 4},
                              {"attention_factor", 1.1},
                              {"beta_fast", 16},
                              {"original_max_position_embeddings", 64}}}});
  EXPECT_EQ(config.position.training_length, 64);
  EXPECT_EQ(config.position.scaling.original_length, 64);
  EXPECT_EQ(config.position.scaling.attention_factor, 1.1);
  EXPECT_EQ(config.position.scaling.beta_fast, 16.0);
  EXPECT_EQ(config.position.scaling.beta_slow, 1.0);
}

TEST(LlamaRope, YarnSaysWhichOfTwoFactorsItUses) {
  const auto config =
      read({{"max_position_embeddings", 64},
            {"rope_scaling",
             {{"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 64}}}});
  EXPECT_EQ(config.position.scaling.factor, 4.0);
  EXPECT_THAT(source_of(config.position, "scaling.factor"),
              HasSubstr("max_position_embeddings / original would be 1"));
}

TEST(LlamaRope, DynamicCountsFromTheLongestPosition) {
  const auto config = read({{"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2}}}});
  EXPECT_EQ(config.position.scaling.kind, ScalingKind::kDynamicNtk);
  EXPECT_EQ(config.position.scaling.original_length, 64);
}

TEST(LlamaRope, LongRopeTakesItsLengthsFromBesideTheObject) {
  const nlohmann::json factors = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5};
  const auto config =
      read({{"max_position_embeddings", 256},
            {"original_max_position_embeddings", 64},
            {"rope_scaling",
             {{"type", "longrope"}, {"short_factor", factors}, {"long_factor", factors}}}});
  EXPECT_EQ(config.position.training_length, 64);
  EXPECT_EQ(config.position.scaling.original_length, 64);
  EXPECT_EQ(config.position.scaling.factor, 4.0);  // 256 / 64
  EXPECT_EQ(config.position.scaling.long_factor.size(), 6U);
  EXPECT_EQ(source_of(config.position, "training_length"),
            "config.json: original_max_position_embeddings");
}

TEST(LlamaRope, VersionFiveParametersAreRead) {
  nlohmann::json config = base_config();
  config.erase("rope_theta");
  config["rope_parameters"] = {{"rope_type", "llama3"}, {"rope_theta", 10000},
                               {"factor", 8},           {"low_freq_factor", 1},
                               {"high_freq_factor", 4}, {"original_max_position_embeddings", 32}};
  const auto read_back = read_values(config, MemorySource());
  EXPECT_EQ(read_back.position.theta, 10000.0);
  EXPECT_EQ(read_back.position.scaling.kind, ScalingKind::kLlama3);
  EXPECT_EQ(read_back.position.training_length, 32);
  EXPECT_EQ(source_of(read_back.position, "rope_theta"), "config.json: rope_parameters.rope_theta");
}

TEST(LlamaRope, TwoThetasThatDisagreeAreRefused) {
  EXPECT_THAT(message({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 10000}}}}),
              AllOf(HasSubstr("rope_theta"), HasSubstr("500000")));
}

TEST(Llama, AnUnknownKeyIsRefusedByFileAndName) {
  EXPECT_THAT(message({{"rms_norm_epz", 1e-3}}),
              AllOf(HasSubstr("m/config.json"), HasSubstr("'rms_norm_epz'"),
                    HasSubstr("may change the numbers"), HasSubstr("rms_norm_eps")));
}

TEST(Llama, BookkeepingKeysAreHarmless) {
  EXPECT_NO_THROW((void)read({{"torch_dtype", "bfloat16"},
                              {"transformers_version", "4.52.0"},
                              {"use_cache", true},
                              {"pretraining_tp", 1},
                              {"bos_token_id", 1},
                              {"attention_dropout", 0.0},
                              {"sliding_window", nullptr},
                              {"_name_or_path", "x/y"}}));
}

TEST(Llama, WhatTheDecoderCannotRunIsRefused) {
  EXPECT_THAT(message({{"hidden_act", "mish"}}), HasSubstr("hidden_act"));
  EXPECT_THAT(message({{"sliding_window", 4096}}), HasSubstr("sliding_window"));
  EXPECT_THAT(message({{"partial_rotary_factor", 0.3}}), HasSubstr("partial_rotary_factor"));
  EXPECT_THAT(message({{"num_key_value_heads", 3}}), HasSubstr("num_key_value_heads"));
  EXPECT_THAT(message({{"architectures", {"LlamaForSequenceClassification"}}}),
              HasSubstr("LlamaForCausalLM"));
  EXPECT_THAT(message({{"hidden_size", "48"}}), HasSubstr("hidden_size"));
}

TEST(LlamaHead, UntiedWithoutAHeadNamesBothFacts) {
  EXPECT_THAT(message({{"tie_word_embeddings", false}}),
              AllOf(HasSubstr("tie_word_embeddings is false"), HasSubstr("'lm_head.weight'")));
}

TEST(LlamaHead, TheOverrideTiesIt) {
  const auto config = read_values(with(base_config(), {{"tie_word_embeddings", false}}),
                                  MemorySource(), {.tie_embeddings = true});
  EXPECT_EQ(config.head, Head::kTied);
  EXPECT_THAT(source_of(config.position, "tie_embeddings"), HasSubstr("override"));
}

TEST(LlamaHead, TiedAndPresentMustBeEqual) {
  MemorySource source;
  source.add("model.embed_tokens.weight", {120, 48}, 1.0F).add("lm_head.weight", {120, 48}, 1.0F);
  const DecoderConfig equal = read_values(base_config(), source);
  EXPECT_EQ(equal.head, Head::kTied);
  fill(source, equal, architecture_named("llama"));
  const auto& llama = architecture_named("llama");
  EXPECT_NO_THROW(check_tensors(llama, llama.slots(equal, source), source));

  MemorySource other;
  other.add("model.embed_tokens.weight", {120, 48}, 1.0F).add("lm_head.weight", {120, 48}, 2.0F);
  EXPECT_THAT(error_message([&] { (void)read_values(base_config(), other); }),
              AllOf(HasSubstr("tie_word_embeddings is true"), HasSubstr("differs")));
}

TEST(Registry, AnotherModelTypeIsRefusedWithTheSupportedOnes) {
  for (const char* type : {"mamba", "gpt_bigcode", "deepseek_v3"}) {
    EXPECT_THAT(message({{"model_type", type}}),
                AllOf(HasSubstr(type), HasSubstr("bloom, cohere"), HasSubstr("starcoder2")));
  }
}

TEST(Registry, AConfigurationOfNoFamilyIsRefused) {
  EXPECT_THAT(error_message([] {
                (void)read_values({{"a", 1}}, MemorySource());
              }),
              HasSubstr("model_type"));
}

}  // namespace
}  // namespace yardstick::test
