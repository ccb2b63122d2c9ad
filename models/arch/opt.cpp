// OPT (OPTForCausalLM): learned positions behind two unused rows, LayerNorm, ReLU.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Opt final : public HfFamily {
 public:
  Opt() : HfFamily("opt", "OPTForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    config.mlp_width = reader.integer("ffn_dim", 1, kMostDims);
    config.mlp = MlpForm::kPlain;
    config.activation = read_activation(reader, {"activation_function"}, Activation::kRelu);
    const bool has_weights = reader.optional_flag("layer_norm_elementwise_affine").value_or(true);
    config.norm = {
        .kind = NormKind::kLayer,
        .parameters = has_weights ? NormParameters::kWeightAndBias : NormParameters::kNone,
        .epsilon = 1e-5};
    const Biases all = biases(reader.optional_flag("enable_bias").value_or(true));
    config.attention_biases = config.attention_out_bias = config.mlp_biases = all;
    reader.require("do_layer_norm_before", true, "norms behind the residual sum are not mapped");
    reader.require("_remove_final_layer_norm", false, "the decoder ends in a norm");
    reader.require("word_embed_proj_dim", config.width, "embeddings are as wide as the decoder");
    read_learned_positions(reader, config, {"max_position_embeddings"});
    constexpr std::array<std::string_view, 3> kInert = {"dropout", "init_std", "layerdrop"};
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return {.base = "model.decoder.",
            .outer = {{"embed", "embed_tokens"},
                      {"positions", "embed_positions", Fusion::kFirstTwoUnused},
                      {"norm", "final_layer_norm"},
                      {"head", "lm_head"}},
            .layer = {{"attn_norm", "self_attn_layer_norm"},
                      {"q", "self_attn.q_proj"},
                      {"k", "self_attn.k_proj"},
                      {"v", "self_attn.v_proj"},
                      {"o", "self_attn.out_proj"},
                      {"mlp_norm", "final_layer_norm"},
                      {"up", "fc1"},
                      {"down", "fc2"}}};
  }
  bool is_tied_by_default() const override { return true; }
};

}  // namespace

const Architecture& opt_architecture() {
  static const Opt kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
