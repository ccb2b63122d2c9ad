// Phi 1, 1.5 and 2 (PhiForCausalLM): attention and MLP side by side behind one LayerNorm, biases
// everywhere, part of the head rotates.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Phi final : public HfFamily {
 public:
  Phi() : HfFamily("phi", "PhiForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    read_mlp(reader, config, MlpForm::kPlain);
    config.norm = read_layer_norm(reader, "layer_norm_eps");
    config.block = BlockForm::kParallelSharedNorm;
    if (reader.optional_flag("qk_layernorm").value_or(false))
      config.qk_norm = {.over = QkNorm::Over::kHead, .norm = config.norm};
    config.attention_biases = config.attention_out_bias = Biases::kPresent;
    config.mlp_biases = config.head_bias = Biases::kPresent;
    read_hf_rope(reader, config.position, {.partial = 0.5, .written_partial = 0.5});
    constexpr std::array<std::string_view, 1> kDropout = {"embd_pdrop"};
    reader.ignore(kDropout);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_outer(with_layer(llama_names(), {{"o", "self_attn.dense"},
                                                 {"q_norm", "self_attn.q_layernorm"},
                                                 {"k_norm", "self_attn.k_layernorm"},
                                                 {"up", "mlp.fc1"},
                                                 {"down", "mlp.fc2"}}),
                      {{"norm", "final_layernorm"}});
  }
};

}  // namespace

const Architecture& phi_architecture() {
  static const Phi kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
