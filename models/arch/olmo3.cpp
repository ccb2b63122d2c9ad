// OLMo 3 (Olmo3ForCausalLM): OLMo 2's block; three of four layers have a window, and those are
// never scaled: YaRN is for the full layers alone (OLMo-core's full_attn_layers_only; transformers
// 5 scales all, its version 4.57 did not).
#include <utility>

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
    LayerRopes ropes = read_hf_ropes(reader, config.position);
    if (!has_rope_by_layer_type(reader)) ropes.sliding = without_scaling(*ropes.sliding);
    set_window_plans(reader, config,
                     {.full = std::move(ropes.full),
                      .sliding = std::move(ropes.sliding),
                      .is_sliding = [](std::int64_t layer) { return (layer + 1) % 4 != 0; }});
    config.layer_plans.never_scaled = kSliding;
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return olmo2_names(); }
};

}  // namespace

const Architecture& olmo3_architecture() {
  static const Olmo3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
