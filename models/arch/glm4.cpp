// GLM 4 (Glm4ForCausalLM): norms around attention and MLP, neighbouring pairs of half the head
// rotate, gate and up in one matrix.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Glm4 final : public HfFamily {
 public:
  Glm4() : HfFamily("glm4", "Glm4ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    set_default_kv_heads(reader, config, 2);
    read_head_dim(reader, config);
    set_default_head_dim(reader, config, 128);
    read_mlp(reader, config, MlpForm::kGated);
    config.norm = read_rms_norm(reader, 1.5625e-7);
    config.norm_placement = NormPlacement::kAround;
    config.attention_biases = biases(reader.optional_flag("attention_bias").value_or(true));
    read_hf_rope(reader, config.position,
                 {.partial = 0.5, .layout = position::PairLayout::kInterleaved, .length = 131072});
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(), {{"attn_post_norm", "post_self_attn_layernorm"},
                                      {"mlp_post_norm", "post_mlp_layernorm"},
                                      {"gate", "mlp.gate_up_proj", Fusion::kStackedGateUp},
                                      {"up", "mlp.gate_up_proj", Fusion::kStackedGateUp}});
  }
};

}  // namespace

const Architecture& glm4_architecture() {
  static const Glm4 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
