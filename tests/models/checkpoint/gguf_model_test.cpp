// GGUF files as Hugging Face folders: names, row orders, numbers and configuration. The row orders
// follow from llama.cpp's converter; expected values are closed forms of the row and column.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/gguf.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/gguf_file.hpp"

namespace yardstick::test {
namespace {

using checkpoint::GgufContents;
using checkpoint::TensorView;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Contents together with the bytes that they point into.
struct Opened {
  explicit Opened(const GgufFile& file)
      : bytes(file.bytes()), contents(checkpoint::read_gguf(as_bytes(bytes), "x.gguf")) {}

  [[nodiscard]] const TensorView& tensor(std::string_view name) const {
    for (const TensorView& view : contents.tensors) {
      if (view.name == name) return view;
    }
    throw std::out_of_range(std::string(name));
  }
  [[nodiscard]] const json& config() const { return contents.config; }

  std::string bytes;
  GgufContents contents;
};

std::string refusal(const GgufFile& file) {
  return error_message(
      [&] { static_cast<void>(checkpoint::read_gguf(as_bytes(file.bytes()), "x.gguf")); });
}

/// row x 1000 + column of a matrix of `columns`.
std::vector<float> row_codes(std::int64_t rows, std::int64_t columns) {
  std::vector<float> out;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) out.push_back(static_cast<float>(r * 1000 + c));
  }
  return out;
}

TEST(GgufModel, LlamaHasHuggingFacesNamesAndFields) {
  const Opened opened(gguf_llama());
  std::vector<std::string> names;
  for (const TensorView& view : opened.contents.tensors) names.push_back(view.name);
  EXPECT_THAT(
      names, ElementsAre("model.embed_tokens.weight", "model.layers.0.input_layernorm.weight",
                         "model.layers.0.mlp.down_proj.weight",
                         "model.layers.0.mlp.gate_proj.weight", "model.layers.0.mlp.up_proj.weight",
                         "model.layers.0.post_attention_layernorm.weight",
                         "model.layers.0.self_attn.k_proj.weight",
                         "model.layers.0.self_attn.o_proj.weight",
                         "model.layers.0.self_attn.q_proj.weight",
                         "model.layers.0.self_attn.v_proj.weight", "model.norm.weight"));
  EXPECT_EQ(opened.config(), json::parse(R"({
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 6,
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 4, "hidden_act": "silu", "rms_norm_eps": 1e-05,
    "max_position_embeddings": 64, "rope_scaling": null, "tie_word_embeddings": true,
    "attention_bias": false, "mlp_bias": false})"));
}

// Row (head, half, pair) of Hugging Face stands at row (head, pair, half) of the file.
TEST(GgufModel, PairedRowsOfQueriesAndKeysAreTakenApart) {
  const auto paired = [](std::int64_t i) {
    const std::int64_t row = i / 12;
    const std::int64_t in_head = row % 6;  // heads of 6: three pairs
    const std::int64_t wanted = row / 6 * 6 + in_head % 2 * 3 + in_head / 2;
    return static_cast<float>(wanted * 1000 + i % 12);
  };
  GgufFile file = gguf_keys("llama", {.width = 12});
  file.u32("llama.attention.head_count_kv", 1)
      .f32("llama.attention.layer_norm_rms_epsilon", 1e-6F)
      .matrix("token_embd.weight", {6, 12}, small_number)
      .matrix("blk.0.attn_q.weight", {12, 12}, paired)
      .matrix("blk.0.attn_k.weight", {6, 12}, paired)
      .matrix("blk.0.attn_q.bias", {12}, [&](std::int64_t i) { return paired(i * 12); });
  const Opened opened(file);
  EXPECT_EQ(to_floats(opened.tensor("model.layers.0.self_attn.q_proj.weight")), row_codes(12, 12));
  EXPECT_EQ(to_floats(opened.tensor("model.layers.0.self_attn.k_proj.weight")), row_codes(6, 12));
  EXPECT_EQ(to_floats(opened.tensor("model.layers.0.self_attn.q_proj.bias")), row_codes(12, 1));
  EXPECT_EQ(opened.config()["attention_bias"], true);
}

// Row (head, part, d) of Hugging Face stands at row (part, head, d) of the file.
TEST(GgufModel, FusedProjectionsAreGroupedByHead) {
  const auto by_part = [](std::int64_t i) {
    const std::int64_t row = i / 8;  // 2 heads of 4, parts of 8 rows
    const std::int64_t wanted = row % 8 / 4 * 12 + row / 8 * 4 + row % 4;
    return static_cast<float>(wanted * 1000 + i % 8);
  };
  GgufFile file = gguf_keys("gptneox");
  file.u32("gptneox.rope.dimension_count", 2)
      .flag("gptneox.use_parallel_residual", 1)
      .f32("gptneox.attention.layer_norm_epsilon", 1e-5F)
      .f32("gptneox.rope.freq_base", 5000)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("output.weight", {6, 8}, [](std::int64_t i) { return small_number(i + 1); })
      .matrix("blk.0.attn_qkv.weight", {24, 8}, by_part)
      .matrix("blk.0.attn_qkv.bias", {24}, [&](std::int64_t i) { return by_part(i * 8); });
  const Opened opened(file);
  EXPECT_EQ(to_floats(opened.tensor("gpt_neox.layers.0.attention.query_key_value.weight")),
            row_codes(24, 8));
  EXPECT_EQ(to_floats(opened.tensor("gpt_neox.layers.0.attention.query_key_value.bias")),
            row_codes(24, 1));
  EXPECT_EQ(opened.config(), json::parse(R"({
    "model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "vocab_size": 6,
    "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2,
    "hidden_act": "gelu", "layer_norm_eps": 1e-05, "max_position_embeddings": 64,
    "rotary_pct": 0.5, "rotary_emb_base": 5000, "rope_scaling": null,
    "use_parallel_residual": true, "attention_bias": true, "tie_word_embeddings": false})"));
}

TEST(GgufModel, Gpt2MatricesAreTurned) {
  GgufFile file = gguf_keys("gpt2");
  const auto turned = [](std::int64_t i) { return static_cast<float>(i % 8 * 1000 + i / 8); };
  file.f32("gpt2.attention.layer_norm_epsilon", 1e-5F)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("output.weight", {6, 8}, small_number)
      .matrix("blk.0.ffn_up.weight", {12, 8}, turned)
      .matrix("blk.0.ffn_up.bias", {12}, small_number);
  const Opened opened(file);
  const TensorView& up = opened.tensor("transformer.h.0.mlp.c_fc.weight");
  EXPECT_THAT(up.shape, ElementsAre(8, 12));
  EXPECT_EQ(to_floats(up), row_codes(8, 12));
  EXPECT_EQ(opened.config()["n_inner"], 12);
  // The converter writes the shared matrix twice; one of them is the model's.
  EXPECT_EQ(opened.config()["tie_word_embeddings"], true);
  EXPECT_THROW(static_cast<void>(opened.tensor("lm_head.weight")), std::out_of_range);
}

TEST(GgufModel, MptSaysItsAlibiAndClip) {
  GgufFile file = gguf_keys("mpt", {.mlp = 32});
  file.f32("mpt.attention.layer_norm_epsilon", 1e-5F)
      .f32("mpt.attention.max_alibi_bias", 8)
      .f32("mpt.attention.clamp_kqv", 0.9F)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("blk.0.attn_norm.weight", {8}, small_number);
  EXPECT_EQ(Opened(file).config(), json::parse(R"({
    "model_type": "mpt", "architectures": ["MptForCausalLM"], "vocab_size": 6, "d_model": 8,
    "n_layers": 1, "n_heads": 2, "expansion_ratio": 4, "max_seq_len": 64,
    "layer_norm_epsilon": 1e-05, "no_bias": true, "tie_word_embeddings": true,
    "attn_config": {"attn_type": "multihead_attention", "alibi": true, "alibi_bias_max": 8,
                    "clip_qkv": 0.9, "qk_ln": false}})"));
}

TEST(GgufModel, BloomHasItsNormOfTheEmbedding) {
  GgufFile file = gguf_keys("bloom", {.mlp = 32});
  file.f32("bloom.attention.layer_norm_epsilon", 1e-5F)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("token_embd_norm.weight", {8}, small_number);
  const Opened opened(file);
  EXPECT_EQ(opened.tensor("transformer.word_embeddings_layernorm.weight").shape.front(), 8);
  EXPECT_EQ(opened.config(), json::parse(R"({
    "model_type": "bloom", "architectures": ["BloomForCausalLM"], "vocab_size": 6,
    "hidden_size": 8, "n_layer": 1, "n_head": 2, "seq_length": 64, "layer_norm_epsilon": 1e-05,
    "apply_residual_connection_post_layernorm": false, "tie_word_embeddings": true})"));
  EXPECT_THAT(refusal(file.f32("bloom.attention.max_alibi_bias", 4)), HasSubstr("max_alibi_bias"));
}

TEST(GgufModel, Qwen2KeepsItsRows) {
  GgufFile file = gguf_keys("qwen2");
  file.f32("qwen2.attention.layer_norm_rms_epsilon", 1e-6F)
      .f32("qwen2.rope.freq_base", 1e6F)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("blk.0.attn_q.weight", {8, 8},
              [](std::int64_t i) { return static_cast<float>(i / 8 * 1000 + i % 8); });
  const Opened opened(file);
  EXPECT_EQ(to_floats(opened.tensor("model.layers.0.self_attn.q_proj.weight")), row_codes(8, 8));
  EXPECT_EQ(opened.config()["model_type"], "qwen2");
  EXPECT_EQ(opened.config()["rope_theta"], 1e6);
}

// A block: scale 2^-3 x (1 + k/4) as binary16, then the integers.
TEST(GgufModel, Q8NumbersAreScaleTimesInteger) {
  std::string data;
  std::vector<float> expected;
  for (int block = 0; block < 2 * 12; ++block) {
    const float scale = 0.125F * (1.0F + static_cast<float>(block % 4) / 4.0F);
    data += little(static_cast<std::uint64_t>(0x3000 + block % 4 * 0x100), 2);
    for (int i = 0; i < 32; ++i) {
      const int number = (block * 37 + i * 11) % 255 - 127;
      data.push_back(static_cast<char>(number));
      expected.push_back(scale * static_cast<float>(number));
    }
  }
  GgufFile file = gguf_keys("qwen2", {.width = 64});
  file.f32("qwen2.attention.layer_norm_rms_epsilon", 1e-6F)
      .matrix("token_embd.weight", {6, 64}, small_number)
      .tensor("blk.0.ffn_up.weight", {12, 64}, GgufFile::kQ8, data);
  const Opened opened(file);
  const TensorView& up = opened.tensor("model.layers.0.mlp.up_proj.weight");
  EXPECT_EQ(to_floats(up), expected);
  EXPECT_EQ(up.bytes().size(), data.size());
}

TEST(GgufModel, LinearScalingIsRead) {
  const auto scaling = [](const GgufFile& file) { return Opened(file).config()["rope_scaling"]; };
  EXPECT_EQ(scaling(gguf_llama().f32("llama.rope.scaling.factor", 4)),
            json::parse(R"({"rope_type": "linear", "factor": 4})"));
  EXPECT_EQ(scaling(gguf_llama().f32("llama.rope.scale_linear", 2)),
            json::parse(R"({"rope_type": "linear", "factor": 2})"));
  EXPECT_EQ(
      scaling(
          gguf_llama().text("llama.rope.scaling.type", "none").f32("llama.rope.scaling.factor", 4)),
      nullptr);
  EXPECT_EQ(scaling(gguf_llama().f32("llama.rope.scaling.factor", 0)), nullptr);
}

// llama.cpp's attn_factor multiplies the factor that YaRN has by itself, 1 + 0.1 ln s.
TEST(GgufModel, YarnScalingIsRead) {
  GgufFile file = gguf_llama();
  file.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 4);
  EXPECT_EQ(Opened(file).config()["rope_scaling"], json::parse(R"({"rope_type": "yarn", "factor": 4,
                            "original_max_position_embeddings": 64})"));
  file.u32("llama.rope.scaling.original_context_length", 16)
      .f32("llama.rope.scaling.attn_factor", 0.5F)
      .f32("llama.rope.scaling.yarn_beta_fast", 16)
      .flag("llama.rope.scaling.finetuned", 1);
  const json scaling = Opened(file).config()["rope_scaling"];
  EXPECT_EQ(scaling["original_max_position_embeddings"], 16);
  EXPECT_DOUBLE_EQ(scaling["attention_factor"].get<double>(), 0.5 * (1 + 0.1 * std::log(4.0)));
  EXPECT_EQ(scaling["beta_fast"], 16);
}

GgufFile with_factors(const std::vector<float>& factors) {
  GgufFile file = gguf_llama({.width = 64, .heads = 2});
  file.f32("llama.rope.freq_base", 500000)
      .tensor("rope_freqs.weight", {static_cast<std::int64_t>(factors.size())}, GgufFile::kF32,
              GgufFile::bytes_of(factors));
  return file;
}

// The published rule of Llama 3.1: wavelengths above 8192 divided by the factor, those below 2048
// untouched, between them mixed.
TEST(GgufModel, FactorsOfLlama3BecomeItsParameters) {
  std::vector<float> factors;
  for (int i = 0; i < 16; ++i) {
    const double wavelength = 2 * std::numbers::pi * std::pow(500000.0, i / 16.0);
    const double smooth = (8192 / wavelength - 1) / 3;
    const double mixed = 1 / ((1 - smooth) / 32 + smooth);
    factors.push_back(static_cast<float>(wavelength < 2048 ? 1 : wavelength > 8192 ? 32 : mixed));
  }
  EXPECT_EQ(Opened(with_factors(factors)).config()["rope_scaling"],
            json::parse(R"({"rope_type": "llama3", "factor": 32, "low_freq_factor": 1,
                            "high_freq_factor": 4, "original_max_position_embeddings": 8192})"));
}

TEST(GgufModel, OtherFactorsStayAList) {
  std::vector<float> factors(16, 1.5F);
  factors[3] = 1.1F;
  const json scaling = Opened(with_factors(factors)).config()["rope_scaling"];
  EXPECT_EQ(scaling["rope_type"], "longrope");
  EXPECT_EQ(scaling["short_factor"], scaling["long_factor"]);
  EXPECT_EQ(scaling["short_factor"][3], 1.1);
  EXPECT_EQ(scaling["attention_factor"], 1);
  EXPECT_EQ(Opened(with_factors(std::vector<float>(16, 1.0F))).config()["rope_scaling"], nullptr);
  EXPECT_THAT(refusal(with_factors(std::vector<float>(8, 1.0F))), HasSubstr("[16]"));
  EXPECT_THAT(refusal(with_factors(factors).f32("llama.rope.scaling.factor", 2)),
              HasSubstr("a second time"));
}

TEST(GgufModel, KeysThatMayChangeTheNumbersAreRefusedByName) {
  const auto with = [](const char* key, float value) {
    return refusal(gguf_llama().f32(key, value));
  };
  EXPECT_THAT(with("llama.logit_scale", 0.5F), HasSubstr("'llama.logit_scale' is not known here"));
  EXPECT_THAT(with("llama.attention.sliding_window", 8), HasSubstr("sliding_window"));
  EXPECT_THAT(with("llama.rope.scaling.attn_factor", 2), HasSubstr("attn_factor"));
  EXPECT_THAT(with("llama.rope.dimension_count", 2), HasSubstr("expected 4"));
  EXPECT_THAT(refusal(gguf_llama().u32("llama.expert_count", 8)), HasSubstr("mixtures of experts"));
  EXPECT_THAT(refusal(gguf_llama().flag("llama.attention.causal", 0)), HasSubstr("causal"));
  EXPECT_THAT(refusal(gguf_llama().u32("llama.vocab_size", 7)), HasSubstr("has 6 rows"));
  EXPECT_THAT(refusal(gguf_llama().text("llama.rope.scaling.type", "su")), HasSubstr("'su'"));
  EXPECT_THAT(refusal(gguf_llama().u32("split.count", 2)), HasSubstr("--merge"));
  EXPECT_THAT(refusal(gguf_llama().text("general.type", "adapter")), HasSubstr("adapter"));
  EXPECT_NO_THROW(
      Opened(gguf_llama().text("quantize.imatrix.file", "x").text("general.name", "y")));
}

TEST(GgufModel, KeysThatAreMissingOrOfAnotherTypeAreRefusedByName) {
  EXPECT_THAT(refusal(GgufFile()), HasSubstr("'general.architecture' is missing"));
  EXPECT_THAT(refusal(gguf_keys("llamma")), AllOf(HasSubstr("'llamma'"), HasSubstr("llama")));
  EXPECT_THAT(refusal(GgufFile().text("general.architecture", "llama")),
              HasSubstr("'llama.block_count' is missing"));
  EXPECT_THAT(refusal(gguf_keys("llama")), HasSubstr("token_embd.weight"));
  EXPECT_THAT(refusal(gguf_llama().text("llama.rope.freq_base", "x")),
              HasSubstr("'llama.rope.freq_base' is a text; expected a number"));
  EXPECT_THAT(refusal(gguf_llama().ints("llama.vocab_size", {})), HasSubstr("an empty list"));
  EXPECT_THAT(refusal(gguf_llama().ints("llama.attention.key_length", {4, 8})),
              HasSubstr("4 in one layer and 8 in another"));
}

TEST(GgufModel, TensorsThatAreNotTheArchitecturesAreRefusedByName) {
  const auto with = [](const char* name) {
    return refusal(gguf_llama().matrix(name, {8}, small_number));
  };
  EXPECT_THAT(with("blk.0.ffn_gate_inp.weight"), HasSubstr("'blk.0.ffn_gate_inp.weight'"));
  EXPECT_THAT(with("blk.1.attn_norm.weight"), HasSubstr("layer 1, but llama.block_count is 1"));
  EXPECT_THAT(with("blk.x.attn_norm.weight"), HasSubstr("blk.x.attn_norm.weight"));
  EXPECT_THAT(with("position_embd.weight"), HasSubstr("position_embd"));
  EXPECT_THAT(with("blk.00.attn_norm.weight"), HasSubstr("twice"));
  GgufFile wrong_rows = gguf_keys("llama");
  wrong_rows.f32("llama.attention.layer_norm_rms_epsilon", 1e-6F)
      .matrix("token_embd.weight", {6, 8}, small_number)
      .matrix("blk.0.attn_q.weight", {10, 8}, small_number);
  EXPECT_THAT(refusal(wrong_rows), AllOf(HasSubstr("attn_q"), HasSubstr("expected 8 rows")));
}

}  // namespace
}  // namespace yardstick::test
