// Arcee (ArceeForCausalLM): LLaMA's block with a plain MLP of squared ReLU.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Arcee final : public HfFamily {
 public:
  Arcee() : HfFamily("arcee", "ArceeForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    read_head_dim(reader, config);
    read_mlp(reader, config, MlpForm::kPlain);
    config.norm = read_rms_norm(reader, 1e-5);
    read_attention_bias(reader, config);
    config.mlp_biases = biases(reader.optional_flag("mlp_bias").value_or(false));
    read_hf_rope(reader, config.position, {.length = 4096});
  }
};

}  // namespace

const Architecture& arcee_architecture() {
  static const Arcee kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
