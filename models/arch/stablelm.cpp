// StableLM (StableLmForCausalLM): LayerNorm, gated MLP, part of the head rotates; perhaps attention
// and MLP side by side, and a LayerNorm of its own for each head of q and k.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class StableLm final : public HfFamily {
 public:
  StableLm() : HfFamily("stablelm", "StableLmForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    set_default_kv_heads(reader, config, 32);
    read_mlp(reader, config, MlpForm::kGated);
    config.norm = read_layer_norm(reader, "layer_norm_eps");
    if (reader.optional_flag("use_parallel_residual").value_or(false))
      config.block = BlockForm::kParallelSharedNorm;
    if (reader.optional_flag("qk_layernorm").value_or(false)) {
      config.qk_norm = {.over = QkNorm::Over::kHeadOwnWeights, .norm = config.norm};
      config.qk_norm.norm.parameters = NormParameters::kWeight;
    }
    config.attention_biases = biases(reader.optional_flag("use_qkv_bias").value_or(false));
    read_hf_rope(reader, config.position,
                 {.partial_keys = {"partial_rotary_factor", "rope_pct"},
                  .partial = 0.25,
                  .written_partial = 0.25,
                  .length = 4096});
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(),
                      {{"q_norm", "self_attn.q_layernorm.norms.{}", Fusion::kTensorAHead},
                       {"k_norm", "self_attn.k_layernorm.norms.{}", Fusion::kTensorAHead}});
  }
};

}  // namespace

const Architecture& stablelm_architecture() {
  static const StableLm kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
