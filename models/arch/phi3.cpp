// Phi 3 and 4 (Phi3ForCausalLM): LLaMA's block with q, k and v in one matrix and gate and up in
// another; LongRoPE beyond the original length.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Phi3 final : public HfFamily {
 public:
  Phi3() : HfFamily("phi3", "Phi3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    read_hf_rope(reader, config.position, {.length = 4096, .layer_type = uniform_type(reader)});
    read_uniform_window(reader, config);
    constexpr std::array<std::string_view, 1> kDropout = {"embd_pdrop"};
    reader.ignore(kDropout);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(), {{"q", "self_attn.qkv_proj", Fusion::kStackedQkv},
                                      {"k", "self_attn.qkv_proj", Fusion::kStackedQkv},
                                      {"v", "self_attn.qkv_proj", Fusion::kStackedQkv},
                                      {"gate", "mlp.gate_up_proj", Fusion::kStackedGateUp},
                                      {"up", "mlp.gate_up_proj", Fusion::kStackedGateUp}});
  }
};

}  // namespace

const Architecture& phi3_architecture() {
  static const Phi3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
