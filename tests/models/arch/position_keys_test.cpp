// Position keys of configurations that loaders in the field have dropped or misread. The numbers of
// the cases are those of the log of such reports; each name carries its number.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/position/encoding.hpp"
#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "tests/models/arch/memory_source.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using position::ScalingKind;
using ::testing::AllOf;
using ::testing::HasSubstr;

nlohmann::json config_of(const char* type, const nlohmann::json& changes) {
  nlohmann::json config = {{"model_type", type},         {"vocab_size", 120},
                           {"hidden_size", 256},         {"intermediate_size", 64},
                           {"num_hidden_layers", 6},     {"num_attention_heads", 4},
                           {"num_key_value_heads", 2},   {"max_position_embeddings", 16384},
                           {"tie_word_embeddings", true}};
  config.update(changes);
  return config;
}

DecoderConfig read(const char* type, const nlohmann::json& changes) {
  return read_values(config_of(type, changes), MemorySource());
}

std::string message(const char* type, const nlohmann::json& changes) {
  return error_message([&] { (void)read(type, changes); });
}

TEST(PositionKeys, B40_Llama3ScalingIsApplied) {
  const DecoderConfig config = read("llama", {{"rope_theta", 5e5},
                                              {"rope_scaling",
                                               {{"rope_type", "llama3"},
                                                {"factor", 32},
                                                {"low_freq_factor", 1},
                                                {"high_freq_factor", 4},
                                                {"original_max_position_embeddings", 8192}}}});
  const auto table = position::frequency_table(config.position, 0);
  for (std::size_t i = 0; i <= 14; ++i) EXPECT_EQ(table.values[i], table.unscaled[i]) << i;
  EXPECT_NEAR(table.values[15], 1.290548e-3, 1e-9);
  EXPECT_NEAR(table.values[16], 4.295568e-4, 1e-10);
  EXPECT_NEAR(table.values[17], 9.708288e-5, 1e-11);
  for (std::size_t i = 18; i < 32; ++i)
    EXPECT_NEAR(table.values[i] * 32.0F / table.unscaled[i], 1.0F, 1e-6F) << i;
}

TEST(PositionKeys, B41_AnAttentionFactorOfOneIsNoDefault) {
  const auto factor = [](const nlohmann::json& more) {
    nlohmann::json scaling = {
        {"rope_type", "yarn"}, {"factor", 64}, {"original_max_position_embeddings", 4096}};
    scaling.update(more);
    const DecoderConfig config = read("llama", {{"rope_scaling", scaling}});
    return attention_factor(config.position.scaling, 0);
  };
  EXPECT_EQ(factor({{"attention_factor", 1.0}}), 1.0);
  EXPECT_NEAR(factor(nlohmann::json::object()), 1.4158883, 1e-7);
  EXPECT_NEAR(factor({{"factor", 4}}), 1.1386294, 1e-7);
  EXPECT_NEAR(factor({{"factor", 40}}), 1.3688879, 1e-7);
}

TEST(PositionKeys, B42_AttnFactorIsAnAlias) {
  const nlohmann::json scaling = {{"rope_type", "yarn"},
                                  {"factor", 4},
                                  {"original_max_position_embeddings", 4096},
                                  {"attn_factor", 0.8}};
  EXPECT_EQ(read("llama", {{"rope_scaling", scaling}}).position.scaling.attention_factor, 0.8);
  nlohmann::json both = scaling;
  both["attention_factor"] = 0.9;
  EXPECT_THAT(message("llama", {{"rope_scaling", both}}),
              AllOf(HasSubstr("0.8"), HasSubstr("0.9")));
}

TEST(PositionKeys, B44_IntegersAndTheOldNameOfTheType) {
  const DecoderConfig config =
      read("llama", {{"rope_scaling", {{"type", "linear"}, {"factor", 40}}}});
  EXPECT_EQ(config.position.scaling.kind, ScalingKind::kLinear);
  EXPECT_EQ(config.position.scaling.factor, 40.0);
}

TEST(PositionKeys, B45_ThetaIsFoundWhereverItStands) {
  const DecoderConfig old = read("llama", {{"rope_theta", 1e6}, {"rope_scaling", nullptr}});
  const DecoderConfig now =
      read("llama", {{"rope_parameters", {{"rope_theta", 1e6}, {"rope_type", "default"}}}});
  EXPECT_EQ(position::frequency_table(old.position, 0).values,
            position::frequency_table(now.position, 0).values);
  EXPECT_EQ(old.position.theta, 1e6);
  const DecoderConfig nested =
      read("gemma3_text",
           {{"head_dim", 64},
            {"sliding_window", 512},
            {"rope_parameters",
             {{"full_attention", {{"rope_type", "linear"}, {"factor", 8}, {"rope_theta", 1e6}}},
              {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000}}}}}});
  EXPECT_EQ(nested.position.theta, 1e6);
  EXPECT_EQ(nested.position.scaling.factor, 8.0);
  ASSERT_EQ(nested.layer_plans.others.size(), 1U);
  EXPECT_EQ(nested.layer_plans.others[0].theta, 10000.0);
  EXPECT_EQ(nested.layer_plans.others[0].scaling.kind, ScalingKind::kNone);
  EXPECT_EQ(nested.layer_plans.others[0].reach.window, 512);
  EXPECT_EQ(nested.layer_plans.of_layer, (std::vector<std::int64_t>{1, 1, 1, 1, 1, 0}));
}

TEST(PositionKeys, B46_AnUnknownTypeIsRefused) {
  EXPECT_THAT(message("llama", {{"rope_scaling", {{"type", "su_v2"}, {"factor", 4}}}}),
              HasSubstr("su_v2"));
}

TEST(PositionKeys, B48_PartOfTheHeadRotatesWithItsOwnFrequencies) {
  const DecoderConfig config = read("stablelm", {{"hidden_size", 1024},
                                                 {"hidden_act", "silu"},
                                                 {"partial_rotary_factor", 0.25},
                                                 {"use_qkv_bias", false}});
  EXPECT_EQ(config.head_dim, 256);
  EXPECT_EQ(config.position.rotary_dims, 64);
  const auto table = position::frequency_table(config.position, 0);
  ASSERT_EQ(table.values.size(), 32U);
  EXPECT_NEAR(table.values[1], std::pow(10000.0, -2.0 / 64.0), 1e-7);
}

TEST(PositionKeys, B50_LongRopeChoosesItsListByTheWholeLength) {
  const std::vector<double> ones(32, 1.0);
  const std::vector<double> fours(32, 4.0);
  const DecoderConfig config = read("phi3", {{"original_max_position_embeddings", 4096},
                                             {"rope_scaling",
                                              {{"type", "su"},
                                               {"short_factor", ones},
                                               {"long_factor", fours},
                                               {"short_mscale", 1.1},
                                               {"long_mscale", 1.25}}}});
  const auto encoding = make_encoding(config.position, {});
  EXPECT_EQ(encoding->length_use(), position::LengthUse::kTotal);
  const auto brief = position::frequency_table(config.position, 3000);
  const auto extended = position::frequency_table(config.position, 5000);
  EXPECT_EQ(brief.values[3], 4.0F * extended.values[3]);
  EXPECT_EQ(brief.attention_factor, 1.1);
  EXPECT_EQ(extended.attention_factor, 1.25);
}

TEST(PositionKeys, B74_SettingsThatChangeTheNumbersAreRefusedByName) {
  for (const char* key : {"mup_scale", "attn_logit_softcapping", "logit_scale", "qk_norm"}) {
    EXPECT_THAT(message("llama", {{key, 0.5}}), AllOf(HasSubstr(key), HasSubstr("may change")));
  }
}

TEST(PositionKeys, FopeInTheWordsOfHuggingFace) {
  const DecoderConfig config = read("qwen3", {{"head_dim", 64},
                                              {"max_position_embeddings", 1024},
                                              {"rope_scaling",
                                               {{"rope_type", "default"},
                                                {"fope_init_factor", 0.5},
                                                {"fope_sep_head", true},
                                                {"num_inv_freq", nullptr}}}});
  EXPECT_EQ(config.position.kind, position::Kind::kFope);
  EXPECT_EQ(config.position.fope.input_count, 18);  // of 32: those of a period up to 1024 tokens
  EXPECT_EQ(config.position.fope.output_count, 18);
  const auto& qwen3 = architecture_named("qwen3");
  int matrices = 0;
  for (const models::TensorSlot& slot : qwen3.slots(config, MemorySource())) {
    if (slot.source != "model.rotary_emb.cos_coef") continue;
    EXPECT_EQ(slot.shape, (std::vector<std::int64_t>{2, 18, 18}));  // a key head
    ++matrices;
  }
  EXPECT_EQ(matrices, 6);  // one set serves every layer
  const DecoderConfig counted =
      read("qwen3",
           {{"head_dim", 64}, {"rope_scaling", {{"rope_type", "default"}, {"num_inv_freq", 5}}}});
  EXPECT_EQ(counted.position.fope.input_count, 5);
}

// Absent keys mean what the library's configuration class says, which null does not.
TEST(PositionKeys, AbsentIsTheLibrarysDefaultAndNullIsNone) {
  const nlohmann::json base = {{"head_dim", 64}, {"sliding_window", 512}};
  const DecoderConfig absent = read("gemma2", base);
  EXPECT_EQ(absent.attention_soft_cap, 50.0);
  EXPECT_EQ(absent.logit_soft_cap, 30.0);
  nlohmann::json none = base;
  none["attn_logit_softcapping"] = nullptr;
  none["final_logit_softcapping"] = nullptr;
  EXPECT_FALSE(read("gemma2", none).attention_soft_cap);
  EXPECT_FALSE(read("gemma2", none).logit_soft_cap);
  EXPECT_EQ(read("mistral", nlohmann::json::object()).position.reach.window, 4096);
  EXPECT_EQ(read("mistral", {{"sliding_window", nullptr}}).position.reach.kind,
            position::ReachKind::kAll);
}

TEST(PositionKeys, FalconsAlibiRefusesAScalingThatNothingWouldUse) {
  const nlohmann::json falcon = {{"model_type", "falcon"},   {"vocab_size", 120},
                                 {"hidden_size", 64},        {"num_hidden_layers", 2},
                                 {"num_attention_heads", 4}, {"alibi", true},
                                 {"multi_query", false},     {"parallel_attn", false}};
  EXPECT_NO_THROW((void)read_values(falcon, MemorySource()));
  nlohmann::json scaled = falcon;
  scaled["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 4}};
  EXPECT_THAT(error_message([&] { (void)read_values(scaled, MemorySource()); }),
              HasSubstr("rope_parameters"));
}

TEST(PositionKeys, LengthMethodsAreOverrides) {
  const auto reach = [](const nlohmann::json& override) {
    return read_values(config_of("llama", nlohmann::json::object()), MemorySource(),
                       {.position = override})
        .position.reach;
  };
  EXPECT_EQ(reach({{"self_extend", {{"group", 8}, {"window", 512}}}}),
            (position::Reach{.kind = position::ReachKind::kSelfExtend, .window = 512, .group = 8}));
  EXPECT_EQ(reach({{"sliding_window", 256}}).window, 256);
  EXPECT_EQ(reach({{"streaming_llm", {{"window", 1020}}}}).sinks, 4);
  EXPECT_EQ(reach({{"lm_infinite", nlohmann::json::object()}}).window, 16384);
  // 3/4 of the training length less 1/16 of it, as the authors' code.
  EXPECT_EQ(
      reach({{"dual_chunk", nlohmann::json::object()}}),
      (position::Reach{.kind = position::ReachKind::kDualChunk, .chunk = 11264, .limit = 12288}));
  EXPECT_THAT(error_message([&] {
                (void)reach({{"self_extend", {{"group", 8}, {"windows", 512}}}});
              }),
              HasSubstr("window"));
}

TEST(PositionKeys, AnotherEncodingKeepsTheWindow) {
  const DecoderConfig config = read_values(config_of("mistral", {{"sliding_window", 512}}),
                                           MemorySource(), {.position = {{"kind", "none"}}});
  EXPECT_EQ(config.position.kind, position::Kind::kNone);
  EXPECT_EQ(config.position.reach.window, 512);
  EXPECT_EQ(source_of(config.position, "reach"), "config.json: sliding_window");
}

TEST(PositionKeys, AMethodLeavesWindowLayersAlone) {
  const DecoderConfig config =
      read_values(config_of("gemma2", {{"head_dim", 64}, {"sliding_window", 512}}), MemorySource(),
                  {.position = {{"self_extend", {{"group", 4}, {"window", 1024}}}}});
  EXPECT_EQ(config.position.reach.kind, position::ReachKind::kSelfExtend);
  EXPECT_EQ(config.layer_plans.others[0].reach.kind, position::ReachKind::kWindow);
}

TEST(PositionKeys, LayersWithoutPositionsAreMaskedButNotMoved) {
  const auto plans = [](const nlohmann::json& override) {
    return read_values(config_of("smollm3", {{"no_rope_layer_interval", 4}}), MemorySource(),
                       {.position = override});
  };
  const DecoderConfig moved = plans({{"self_extend", {{"group", 4}, {"window", 1024}}}});
  EXPECT_EQ(moved.position.reach.kind, position::ReachKind::kSelfExtend);
  EXPECT_EQ(moved.layer_plans.others[0].reach.kind, position::ReachKind::kAll);
  const DecoderConfig masked = plans({{"sliding_window", 512}});
  EXPECT_EQ(masked.layer_plans.others[0].reach.window, 512);
}

TEST(PositionKeys, OverridesByLayerType) {
  const nlohmann::json values =
      config_of("gemma3_text", {{"head_dim", 64}, {"sliding_window", 512}});
  EXPECT_THAT(error_message([&] {
                (void)read_values(values, MemorySource(), {.position = {{"rope_theta", 5e6}}});
              }),
              HasSubstr("full_attention"));
  const DecoderConfig config = read_values(
      values, MemorySource(), {.position = {{"full_attention", {{"rope_theta", 5e6}}}}});
  EXPECT_EQ(config.position.theta, 5e6);
  EXPECT_EQ(config.layer_plans.others[0].theta, 10000.0);
}

}  // namespace
}  // namespace yardstick::test
