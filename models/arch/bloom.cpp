// BLOOM (BloomForCausalLM): ALiBi, a norm of the embedding, q, k and v of each head together.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Bloom final : public HfFamily {
 public:
  Bloom() : HfFamily("bloom", "BloomForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config,
               {.width = {"hidden_size", "n_embed"},
                .layers = {"n_layer", "num_hidden_layers"},
                .heads = {"n_head", "num_attention_heads"}});
    config.mlp_width = 4 * config.width;
    config.mlp = MlpForm::kPlain;
    config.activation = Activation::kGeluTanh;
    config.norm = read_layer_norm(reader, "layer_norm_epsilon");
    config.embedding_norm = DecoderConfig::EmbeddingNorm::kPresent;
    if (reader.optional_flag("apply_residual_connection_post_layernorm").value_or(false))
      config.residual = Residual::kNormedInput;
    config.attention_biases = config.attention_out_bias = config.mlp_biases = Biases::kPresent;
    config.position.kind = position::Kind::kAlibi;
    set_source(config.position, "kind", "family: ALiBi");
    set_source(config.position, "alibi.slopes", "family: as published");
    set_source(config.position, "alibi_bias_max", "family: 8");
    read_training_length(reader, config.position, {"seq_length"});
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    constexpr std::string_view kFused = "self_attention.query_key_value";
    return {.base = "transformer.",
            .layers = "h.",
            .outer = {{"embed", "word_embeddings"},
                      {"embed_norm", "word_embeddings_layernorm"},
                      {"norm", "ln_f"},
                      {"head", "lm_head"}},
            .layer = {{"attn_norm", "input_layernorm"},
                      {"q", kFused, Fusion::kGroupedQkv},
                      {"k", kFused, Fusion::kGroupedQkv},
                      {"v", kFused, Fusion::kGroupedQkv},
                      {"o", "self_attention.dense"},
                      {"mlp_norm", "post_attention_layernorm"},
                      {"up", "mlp.dense_h_to_4h"},
                      {"down", "mlp.dense_4h_to_h"}}};
  }
  bool is_tied_by_default() const override { return true; }

  /// How training was laid out, and orders of computation with equal results.
  static constexpr std::array<std::string_view, 7> kInert = {
      "slow_but_exact",      "attention_softmax_in_fp32",
      "bias_dropout_fusion", "masked_softmax_fusion",
      "offset_alibi",        "skip_bias_add",
      "skip_bias_add_qkv"};
};

}  // namespace

const Architecture& bloom_architecture() {
  static const Bloom kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
