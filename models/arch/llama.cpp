// LLaMA 1 to 3 (LlamaForCausalLM): pre-norm RMSNorm, gated MLP, grouped queries, RoPE over the
// whole head with any of its scalings.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Llama final : public HfFamily {
 public:
  Llama() : HfFamily("llama", "LlamaForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    read_hf_rope(reader, config.position);
    reader.require("sliding_window", nullptr, "LLaMA's attention sees the whole prefix");
  }
};

}  // namespace

const Architecture& llama_architecture() {
  static const Llama kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
