// Ministral 3 (Ministral3ForCausalLM): Mistral's block with queries that grow with their position
// (llama_4_scaling_beta).
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Ministral3 final : public HfFamily {
 public:
  Ministral3() : HfFamily("ministral3", "Ministral3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    if (reader.is_absent("rms_norm_eps")) config.norm.epsilon = 1e-5;
    set_default_kv_heads(reader, config, 8);
    set_default_head_dim(reader, config, 128);
    read_hf_rope(reader, config.position, {.layer_type = uniform_type(reader)});
    read_uniform_window(reader, config);
  }
};

}  // namespace

const Architecture& ministral3_architecture() {
  static const Ministral3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
