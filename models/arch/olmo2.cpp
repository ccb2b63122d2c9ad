// OLMo 2 (Olmo2ForCausalLM): norms behind attention and MLP, and an RMSNorm over the whole
// projections of q and k.
#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Olmo2 final : public HfFamily {
 public:
  Olmo2() : HfFamily("olmo2", "Olmo2ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_olmo2_body(reader, config);
    read_hf_rope(reader, config.position);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return olmo2_names(); }
};

}  // namespace

const Architecture& olmo2_architecture() {
  static const Olmo2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
