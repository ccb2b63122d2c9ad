// MPT (MptForCausalLM): ALiBi, LayerNorm without bias, no biases, q, k and v in one matrix.
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Mpt final : public HfFamily {
 public:
  Mpt() : HfFamily("mpt", "MptForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& source,
            DecoderConfig& config) const override {
    read_sizes(reader, config,
               {.width = {"d_model"}, .layers = {"n_layers"}, .heads = {"n_heads"}});
    read_mlp_width(reader, source, config);
    config.mlp = MlpForm::kPlain;
    config.activation = Activation::kGelu;
    config.norm = read_layer_norm(reader, "layer_norm_epsilon", NormParameters::kWeight);
    reader.require("no_bias", true, "biases of this family are not mapped");
    read_attention(reader, config);
    if (reader.has("logit_scale")) {
      const bool is_word = reader.raw("logit_scale") == "inv_sqrt_d_model";
      config.logit_scale = is_word ? 1.0 / std::sqrt(static_cast<double>(config.width))
                                   : reader.number("logit_scale", kLeastPositive, kMostNumber);
    }
    read_training_length(reader, config.position, {"max_seq_len"});
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return {.base = "transformer.",
            .layers = "blocks.",
            .outer = {{"embed", "wte"}, {"norm", "norm_f"}, {"head", "lm_head"}},
            .layer = {{"attn_norm", "norm_1"},
                      {"q", "attn.Wqkv", Fusion::kStackedQkv},
                      {"k", "attn.Wqkv", Fusion::kStackedQkv},
                      {"v", "attn.Wqkv", Fusion::kStackedQkv},
                      {"o", "attn.out_proj"},
                      {"mlp_norm", "norm_2"},
                      {"up", "ffn.up_proj"},
                      {"down", "ffn.down_proj"}}};
  }
  bool is_tied_by_default() const override { return true; }

  /// The library's MPT has an MLP of 4 times the width whatever expansion_ratio says, the original
  /// one follows it: the file decides.
  static void read_mlp_width(ConfigReader& reader, const checkpoint::TensorSource& source,
                             DecoderConfig& config) {
    const std::int64_t ratio =
        reader.optional_integer("expansion_ratio", 1, kMostDims / config.width).value_or(4);
    config.mlp_width = ratio * config.width;
    for (const std::string_view base : {"transformer.", ""}) {
      const auto* const up =
          find_tensor(source, fmt::format("{}blocks.0.ffn.up_proj.weight", base));
      if (up != nullptr && !up->shape.empty() && up->shape.front() == 4 * config.width)
        config.mlp_width = 4 * config.width;
    }
  }

  static void read_attention(ConfigReader& config, DecoderConfig& decoder) {
    position::PositionPlan& plan = decoder.position;
    if (!config.has("attn_config")) throw config.error("attn_config", "MPT needs this object");
    ConfigReader reader = config.object("attn_config", "attn_config");
    reader.require("alibi", true, "the library's MPT adds ALiBi always");
    plan.kind = position::Kind::kAlibi;
    set_source(plan, "kind", reader.origin("alibi"));
    // For counts of heads that are no power of two MPT takes every second slope of the next power:
    // the same list as the published code's.
    set_source(plan, "alibi.slopes", "family: as published");
    plan.alibi.bias_max =
        reader.optional_number("alibi_bias_max", kLeastPositive, kMostNumber).value_or(8.0);
    set_source(plan, "alibi_bias_max", reader.origin("alibi_bias_max"));
    decoder.clip_qkv = reader.optional_number("clip_qkv", kLeastPositive, kMostNumber);
    decoder.attention_scale = reader.optional_number("softmax_scale", kLeastPositive, kMostNumber);
    reader.require("qk_ln", false, "norms of q and k are not mapped");
    reader.require("prefix_lm", false, "attention is causal");
    reader.require("attn_type", "multihead_attention", "other forms are not mapped");
    reader.require("attn_uses_sequence_id", false, "a sequence is one document");
    constexpr std::array<std::string_view, 4> kOrders = {"attn_impl", "attn_pdrop", "dtype",
                                                         "model_type"};
    reader.ignore(kOrders);
  }

  static constexpr std::array<std::string_view, 8> kInert = {
      "emb_pdrop",       "embedding_fraction", "init_config", "init_device",
      "learned_pos_emb", "norm_type",          "verbose",     "tokenizer_name"};
};

}  // namespace

const Architecture& mpt_architecture() {
  static const Mpt kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
