// Qwen 2 and 2.5 (Qwen2ForCausalLM): LLaMA's block with biases on q, k and v; some layers may have
// a window.
#include <utility>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Qwen2 final : public HfFamily {
 public:
  Qwen2() : HfFamily("qwen2", "Qwen2ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    set_default_kv_heads(reader, config, 32);
    config.attention_biases = Biases::kPresent;
    LayerRopes ropes = read_hf_ropes(reader, config.position);
    read_qwen_windows(reader, config,
                      {.full = std::move(ropes.full), .sliding = std::move(ropes.sliding)});
  }
};

}  // namespace

const Architecture& qwen2_architecture() {
  static const Qwen2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
