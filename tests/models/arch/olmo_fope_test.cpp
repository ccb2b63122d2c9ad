// The OLMo/FoPE mapping. Source of the expected values: the notes of the golden folders, made with
// the FoPE paper's own code.
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::NormParameters;
using models::TensorSlot;
using position::Kind;
using ::testing::AllOf;
using ::testing::HasSubstr;

nlohmann::json base_model() {
  return {{"d_model", 64},
          {"n_heads", 4},
          {"n_kv_heads", nullptr},
          {"n_layers", 2},
          {"mlp_ratio", 2},
          {"activation_type", "swiglu"},
          {"pos_emb", true},
          {"alibi", false},
          {"rope", true},
          {"rope_theta", 10000},
          {"layer_norm_type", "rms"},
          {"layer_norm_eps", 1e-6},
          {"max_sequence_length", 64},
          {"include_bias", false},
          {"vocab_size", 250},
          {"embedding_size", 256},
          {"weight_tying", true},
          {"rope_clamp_floor_to_zero", true}};
}

nlohmann::json fope_keys() {
  return {{"rope_clamp_floor_freq", true},  {"fourier", true},
          {"fourier_separate_basis", true}, {"fourier_separate_head", true},
          {"fourier_norm", false},          {"fourier_ignore_zero", true}};
}

DecoderConfig read(const nlohmann::json& changes, const MemorySource& source = {}) {
  nlohmann::json model = base_model();
  if (!changes.is_null()) model.update(changes);  // {} is null
  return read_values({{"model", model}, {"run_name", "x"}}, source, {}, "m/config.yaml");
}

std::string message(const nlohmann::json& changes, const MemorySource& source = {}) {
  return error_message([&] { (void)read(changes, source); });
}

TensorSlot slot_named(const DecoderConfig& config, const MemorySource& source,
                      const std::string& name) {
  for (TensorSlot& slot : architecture_named("olmo_fope").slots(config, source)) {
    if (slot.name == name) return slot;
  }
  ADD_FAILURE() << "no slot " << name;
  return {};
}

TEST(OlmoFope, SizesFollowTheTrainingCode) {
  const DecoderConfig config = read({});
  EXPECT_EQ(config.vocabulary, 256);  // the padded embedding
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.kv_heads, 4);
  EXPECT_EQ(config.mlp_width, 64);  // half of ff_proj's 128 rows
  EXPECT_EQ(config.norm.kind, models::NormKind::kRms);
  EXPECT_EQ(config.norm.parameters, NormParameters::kWeight);
  EXPECT_EQ(config.position.kind, Kind::kRope);
  EXPECT_EQ(config.position.training_length, 64);
  EXPECT_EQ(source_of(config.position, "training_length"),
            "config.yaml: model.max_sequence_length");
}

TEST(OlmoFope, NormBiasFallsBackToIncludeBias) {
  const auto with_bias = read({{"include_bias", true}, {"bias_for_layer_norm", nullptr}});
  EXPECT_EQ(with_bias.norm.parameters, NormParameters::kWeightAndBias);
  EXPECT_EQ(with_bias.attention_biases, models::Biases::kPresent);
  EXPECT_EQ(with_bias.head_bias, models::Biases::kAbsent);  // tied: no head to have one
  const auto without = read({{"include_bias", true}, {"bias_for_layer_norm", false}});
  EXPECT_EQ(without.norm.parameters, NormParameters::kWeight);
}

TEST(OlmoFope, FusedProjectionsAreSplitByRows) {
  const MemorySource source;
  const DecoderConfig config = read({{"n_kv_heads", 2}});
  const auto k = slot_named(config, source, "layers.1.k.weight");
  EXPECT_EQ(k.source, "transformer.blocks.1.att_proj.weight");
  EXPECT_EQ(k.row_begin, 64);
  EXPECT_EQ(k.shape, (std::vector<std::int64_t>{32, 64}));
  EXPECT_EQ(k.source_shape, (std::vector<std::int64_t>{128, 64}));
  EXPECT_EQ(slot_named(config, source, "layers.1.v.weight").row_begin, 96);
  // The second half of ff_proj is the gate.
  EXPECT_EQ(slot_named(config, source, "layers.0.up.weight").row_begin, 0);
  EXPECT_EQ(slot_named(config, source, "layers.0.gate.weight").row_begin, 64);
  EXPECT_EQ(slot_named(config, source, "layers.0.gate.weight").source_shape,
            (std::vector<std::int64_t>{128, 64}));
}

TEST(OlmoFope, BlockGroupsAndWrappersAreReadFromTheNames) {
  MemorySource source;
  for (const char* block : {"0.0", "0.1", "1.0", "1.1"}) {
    source.add(
        std::string("transformer.block_groups.") + block + "._fsdp_wrapped_module.attn_norm.weight",
        {64});
  }
  const DecoderConfig config = read({{"n_layers", 4}, {"block_group_size", 2}}, source);
  EXPECT_EQ(slot_named(config, source, "layers.3.attn_norm.weight").source,
            "transformer.block_groups.1.1._fsdp_wrapped_module.attn_norm.weight");
  EXPECT_EQ(slot_named(config, source, "layers.2.o.weight").source,
            "transformer.block_groups.1.0.attn_out.weight");
  EXPECT_THAT(message({{"block_group_size", 3}}, source), HasSubstr("block_group_size"));
}

TEST(OlmoFope, TheFloorFollowsTheTrainingLength) {
  const DecoderConfig config = read(fope_keys());
  EXPECT_EQ(config.position.kind, Kind::kFope);
  EXPECT_DOUBLE_EQ(config.position.floor_frequency, 2.0 * std::numbers::pi / 64.0);
  EXPECT_EQ(config.position.fope.zero_pairs, position::ZeroPairs::kCosOneSinOne);
  EXPECT_EQ(config.position.fope.input_count, 3);  // golden fope: 3 of 8 survive
  EXPECT_EQ(config.position.fope.output_count, 3);
}

TEST(OlmoFope, SharedHeadsAndBasisUseOneMatrix) {
  nlohmann::json keys = fope_keys();
  keys["fourier_separate_basis"] = false;
  keys["fourier_separate_head"] = false;
  const DecoderConfig config = read(keys);
  const auto slot = slot_named(config, MemorySource(), "layers.0.fope.cos_coef");
  EXPECT_EQ(slot.source, "transformer.blocks.0.pos_emb.fourier_coef");
  EXPECT_EQ(slot.source_shape, (std::vector<std::int64_t>{3, 3}));
}

TEST(OlmoFope, ExtensionsBecomeScalings) {
  const auto pi = read({{"len_extra", true},
                        {"len_extra_type", "PI"},
                        {"len_extra_orig_length", 32},
                        {"max_sequence_length", 128}});
  EXPECT_EQ(pi.position.scaling.kind, position::ScalingKind::kLinear);
  EXPECT_EQ(pi.position.scaling.factor, 4.0);
  const auto yarn = read({{"len_extra", true},
                          {"len_extra_type", "YARN"},
                          {"len_extra_before_clamp", true},
                          {"len_extra_orig_length", 32}});
  EXPECT_EQ(yarn.position.scaling.kind, position::ScalingKind::kYarn);
  EXPECT_EQ(yarn.position.scaling.factor, 16.0);
  EXPECT_EQ(yarn.position.scaling.attention_factor, 1.0);
  EXPECT_EQ(yarn.position.clamp_order, position::ClampOrder::kScaleThenClamp);
}

TEST(OlmoFope, WithoutPositionsNothingElseCounts) {
  const auto nope = read({{"pos_emb", false}, {"alibi", true}});
  EXPECT_EQ(nope.position.kind, Kind::kNone);
  const auto learned = read({{"rope", false}});
  EXPECT_EQ(learned.position.kind, Kind::kLearned);
  EXPECT_EQ(learned.position.table_rows, 64);
}

TEST(OlmoFope, AlibiIsGeometric) {
  const auto alibi = read({{"rope", false}, {"alibi", true}, {"alibi_bias_max", 6.0}});
  EXPECT_EQ(alibi.position.kind, Kind::kAlibi);
  EXPECT_EQ(alibi.position.alibi.slopes, position::SlopeRule::kGeometric);
  EXPECT_EQ(alibi.position.alibi.bias_max, 6.0);
}

TEST(OlmoFope, WhatTheTrainingCodeCannotRunIsRefusedByName) {
  EXPECT_THAT(message({{"norm_after", true}}), HasSubstr("norm_after"));
  EXPECT_THAT(message({{"block_type", "llama"}}), HasSubstr("block_type"));
  EXPECT_THAT(message({{"rope", false}, {"fourier", true}}), HasSubstr("fourier"));
  EXPECT_THAT(message({{"rope_clamp_floor_freq", true}, {"rope_clamp_floor_to_zero", false}}),
              HasSubstr("rope_clamp_floor_to_zero"));
  EXPECT_THAT(message({{"rope_init_distribution", "linear"}}), HasSubstr("linear"));
  EXPECT_THAT(message({{"alibi", true}}), HasSubstr("alibi"));
  EXPECT_THAT(message({{"rope_init_floor_freq", 0.1}}), HasSubstr("rope_init_floor_freq"));
  EXPECT_THAT(message({{"rope_learnable", true}}), HasSubstr("rope_learnable"));
  nlohmann::json grouped = fope_keys();
  grouped["n_kv_heads"] = 2;
  EXPECT_THAT(message(grouped), HasSubstr("fourier_separate_head"));
}

TEST(OlmoFope, AnUnknownKeyIsRefused) {
  EXPECT_THAT(message({{"rope_thetta", 1}}),
              AllOf(HasSubstr("m/config.yaml"), HasSubstr("'model.rope_thetta'"),
                    HasSubstr("did you mean 'rope_theta'")));
}

TEST(OlmoFope, StrayCoefficientsAreRefused) {
  MemorySource source;
  source.add("transformer.blocks.0.pos_emb.sin_coef", {4, 3, 3});
  EXPECT_THAT(message({}, source), AllOf(HasSubstr("'rope'"), HasSubstr("pos_emb.sin_coef")));
  EXPECT_NO_THROW((void)read({{"pos_emb", false}}, source));
}

TEST(OlmoFope, AnUntiedHeadMustBeThere) {
  EXPECT_THAT(message({{"weight_tying", false}}),
              AllOf(HasSubstr("weight_tying is false"), HasSubstr("transformer.ff_out.weight")));
}

}  // namespace
}  // namespace yardstick::test
