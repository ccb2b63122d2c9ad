// LLaMA as the Hugging Face transformers library describes it (LlamaConfig, LlamaForCausalLM):
// pre-norm RMSNorm, SwiGLU, grouped queries, RoPE over the whole head with any of its scalings.
#include "models/arch/factories.hpp"
#include "models/arch/llama_layout.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

/// Model types whose configuration is a LLaMA's with other numbers are other architectures; a class
/// that is no language model has other tensors and another output.
void check_class(ConfigReader& reader) {
  const nlohmann::json classes = reader.raw("architectures");
  if (!classes.is_array() || classes.empty()) return;
  for (const nlohmann::json& name : classes) {
    if (name == "LlamaForCausalLM" || name == "LLaMAForCausalLM") return;
  }
  throw reader.error("architectures",
                     classes.dump() + " is not supported; expected LlamaForCausalLM");
}

class Llama final : public LlamaLayout {
 public:
  std::string_view name() const override { return "llama"; }

 private:
  void read_family(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
                   DecoderConfig& config) const override {
    check_class(reader);
    config.position.kind = position::Kind::kRope;
    set_source(config.position, "kind", "architecture llama");
    read_hf_rope(reader, config.position);
    reader.require("sliding_window", nullptr, "LLaMA's attention sees the whole prefix");
    reader.require("quantization_config", nullptr, "weights must be F32, F16 or BF16");
  }
};

}  // namespace

const Architecture& llama_architecture() {
  static const Llama kLlama;
  return kLlama;
}

}  // namespace yardstick::models
