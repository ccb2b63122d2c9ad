// LLaMA as the Hugging Face transformers library describes it (LlamaConfig, LlamaForCausalLM):
// pre-norm RMSNorm, SwiGLU, grouped queries, RoPE over the whole head with any of its scalings.
#include "models/arch/factories.hpp"
#include "models/arch/llama_body.hpp"
#include "models/arch/overrides.hpp"
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

class Llama final : public Architecture {
 public:
  std::string_view name() const override { return "llama"; }

  bool accepts(const ConfigSource& config) const override { return has_model_type(config, name()); }

  DecoderConfig read_config(const ConfigSource& source_config, const ModelOverrides& overrides,
                            const checkpoint::TensorSource& source) const override {
    return as_model_error([&] {
      const Located located(source_config.values, source_config.file);
      ConfigReader reader(located, "", "the configuration of a llama model");
      check_class(reader);
      DecoderConfig config = read_llama_body(reader);
      config.architecture = name();
      config.position.kind = position::Kind::kRope;
      set_source(config.position, "kind", "architecture llama");
      read_hf_rope(reader, config.position);
      reader.require("sliding_window", nullptr, "LLaMA's attention sees the whole prefix");
      reader.require("quantization_config", nullptr, "weights must be F32, F16 or BF16");
      ignore_hf_bookkeeping(reader);
      read_llama_head(reader, overrides, source, config);
      reader.finish();
      apply_position_overrides(overrides.position, config.position);
      return config;
    });
  }

  std::vector<TensorSlot> slots(const DecoderConfig& config,
                                const checkpoint::TensorSource& /*source*/) const override {
    return llama_slots(config);
  }

  bool is_recomputed_buffer(std::string_view source_name) const override {
    return is_llama_buffer(source_name);
  }
};

}  // namespace

const Architecture& llama_architecture() {
  static const Llama kLlama;
  return kLlama;
}

}  // namespace yardstick::models
