// Gemma 2 (Gemma2ForCausalLM): norms around attention and MLP, soft caps of scores and logits,
// every second layer with a window.
#include <utility>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Gemma2 final : public HfFamily {
 public:
  Gemma2() : HfFamily("gemma2", "Gemma2ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_gemma_body(reader, config);
    read_gemma2_body(reader, config);
    set_default_kv_heads(reader, config, 4);
    config.attention_soft_cap = number_or_default(reader, "attn_logit_softcapping", 50.0);
    config.logit_soft_cap = number_or_default(reader, "final_logit_softcapping", 30.0);
    LayerRopes ropes = read_hf_ropes(reader, config.position, {.length = 8192});
    set_window_plans(reader, config,
                     {.full = std::move(ropes.full),
                      .sliding = std::move(ropes.sliding),
                      .is_sliding = [](std::int64_t layer) { return layer % 2 == 0; }});
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return gemma2_names(); }
  bool is_tied_by_default() const override { return true; }
};

}  // namespace

const Architecture& gemma2_architecture() {
  static const Gemma2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
