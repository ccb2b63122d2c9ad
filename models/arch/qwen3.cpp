// Qwen 3 (Qwen3ForCausalLM): LLaMA's block with an RMSNorm of each head of q and k before rotation.
#include <utility>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Qwen3 final : public HfFamily {
 public:
  Qwen3() : HfFamily("qwen3", "Qwen3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    set_default_kv_heads(reader, config, 32);
    set_default_head_dim(reader, config, 128);
    config.qk_norm = {.over = QkNorm::Over::kHead, .norm = config.norm};
    LayerRopes ropes = read_hf_ropes(reader, config.position);
    read_qwen_windows(reader, config,
                      {.full = std::move(ropes.full), .sliding = std::move(ropes.sliding)});
  }
};

}  // namespace

const Architecture& qwen3_architecture() {
  static const Qwen3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
