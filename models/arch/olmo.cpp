// OLMo 1 (OlmoForCausalLM): LayerNorm without parameters, q, k and v may be limited.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Olmo final : public HfFamily {
 public:
  Olmo() : HfFamily("olmo", "OlmoForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    read_mlp(reader, config, MlpForm::kGated);
    config.norm = {.kind = NormKind::kLayer, .parameters = NormParameters::kNone, .epsilon = 1e-5};
    read_attention_bias(reader, config);
    config.clip_qkv = reader.optional_number("clip_qkv", kLeastPositive, kMostNumber);
    read_hf_rope(reader, config.position);
  }
};

}  // namespace

const Architecture& olmo_architecture() {
  static const Olmo kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
