// Mistral (MistralForCausalLM): LLaMA's block, with a window in all layers or in none.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Mistral final : public HfFamily {
 public:
  Mistral() : HfFamily("mistral", "MistralForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    set_default_kv_heads(reader, config, 8);
    read_hf_rope(reader, config.position, {.layer_type = uniform_type(reader, kDefaultWindow)});
    read_uniform_window(reader, config, kDefaultWindow);
  }
};

}  // namespace

const Architecture& mistral_architecture() {
  static const Mistral kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
