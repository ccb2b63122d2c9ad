// Granite (GraniteForCausalLM): LLaMA's block with multipliers of embeddings, scores, residual
// branches and logits.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Granite final : public HfFamily {
 public:
  Granite() : HfFamily("granite", "GraniteForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    const auto factor = [&](std::string_view key) {
      return reader.optional_number(key, kLeastPositive, kMostNumber).value_or(1.0);
    };
    config.embedding_scale = factor("embedding_multiplier");
    config.residual_scale = factor("residual_multiplier");
    config.attention_scale = factor("attention_multiplier");
    config.logit_scale = 1.0 / factor("logits_scaling");
    read_hf_rope(reader, config.position);
  }
};

}  // namespace

const Architecture& granite_architecture() {
  static const Granite kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
