// GPT-NeoX and Pythia (GPTNeoXForCausalLM): LayerNorm, q, k and v of each head together, part of
// the head rotates, attention and MLP side by side or one behind the other.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class GptNeox final : public HfFamily {
 public:
  GptNeox() : HfFamily("gpt_neox", "GPTNeoXForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_mlp(reader, config, MlpForm::kPlain);
    config.norm = read_layer_norm(reader, "layer_norm_eps");
    if (reader.optional_flag("use_parallel_residual").value_or(true))
      config.block = BlockForm::kParallel;
    read_attention_bias(reader, config, Biases::kPresent);
    config.mlp_biases = Biases::kPresent;
    read_hf_rope(reader, config.position,
                 {.theta_keys = {"rope_theta", "rotary_emb_base"},
                  .partial_keys = {"partial_rotary_factor", "rotary_pct"},
                  .partial = 0.25});
    constexpr std::array<std::string_view, 1> kDropout = {"classifier_dropout"};
    reader.ignore(kDropout);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    constexpr std::string_view kFused = "attention.query_key_value";
    return {.base = "gpt_neox.",
            .outer = {{"embed", "embed_in"}, {"norm", "final_layer_norm"}, {"head", "embed_out"}},
            .layer = {{"attn_norm", "input_layernorm"},
                      {"q", kFused, Fusion::kGroupedQkv},
                      {"k", kFused, Fusion::kGroupedQkv},
                      {"v", kFused, Fusion::kGroupedQkv},
                      {"o", "attention.dense"},
                      {"mlp_norm", "post_attention_layernorm"},
                      {"up", "mlp.dense_h_to_4h"},
                      {"down", "mlp.dense_4h_to_h"}}};
  }
};

}  // namespace

const Architecture& gpt_neox_architecture() {
  static const GptNeox kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
