// OLMo 3 (Olmo3ForCausalLM): OLMo 2's block; three of four layers have a window.
#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Olmo3 final : public HfFamily {
 public:
  Olmo3() : HfFamily("olmo3", "Olmo3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_olmo2_body(reader, config);
    read_hf_rope(reader, config.position);
    read_windows(reader, config, [](std::int64_t layer) { return (layer + 1) % 4 != 0; });
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return olmo2_names(); }
};

}  // namespace

const Architecture& olmo3_architecture() {
  static const Olmo3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
