// Gemma 3, text (Gemma3ForCausalLM): Gemma 2's block with a norm of each head of q and k; window
// layers have rotary settings of their own.
#include <utility>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Gemma3Text final : public HfFamily {
 public:
  Gemma3Text() : HfFamily("gemma3_text", "Gemma3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_gemma_body(reader, config);
    read_gemma2_body(reader, config);
    set_default_kv_heads(reader, config, 4);
    config.attention_soft_cap =
        reader.optional_number("attn_logit_softcapping", kLeastPositive, kMostNumber);
    config.logit_soft_cap =
        reader.optional_number("final_logit_softcapping", kLeastPositive, kMostNumber);
    config.qk_norm = {.over = QkNorm::Over::kHead, .norm = config.norm};
    position::PositionPlan sliding = config.position;
    read_hf_rope(reader, config.position, {.theta = 1e6, .length = 131072});
    read_sliding(reader, sliding, config);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return gemma2_names(); }
  bool is_tied_by_default() const override { return true; }

  /// The plan of window layers: an object of rope_parameters, or rope_local_base_freq without the
  /// scaling of the others.
  static void read_sliding(ConfigReader& reader, position::PositionPlan sliding,
                           DecoderConfig& config) {
    if (has_rope_by_layer_type(reader)) {
      read_hf_rope(reader, sliding, {.length = 131072, .layer_type = kSliding});
    } else {
      sliding = config.position;
      sliding.scaling = {};
      set_source(sliding, "scaling.rope_type", "family: window layers are not scaled");
      sliding.theta = reader.optional_number("rope_local_base_freq", kLeastPositive, kMostNumber)
                          .value_or(10000.0);
      set_source(sliding, "rope_theta", reader.origin("rope_local_base_freq"));
    }
    const std::int64_t pattern =
        reader
            .optional_integer(reader.either({"sliding_window_pattern", "_sliding_window_pattern"}),
                              1, kMostLayers)
            .value_or(6);
    const auto is_sliding = [&](std::int64_t layer) { return (layer + 1) % pattern != 0; };
    set_window_plans(reader, config, {.sliding = std::move(sliding), .is_sliding = is_sliding});
  }
};

}  // namespace

const Architecture& gemma3_text_architecture() {
  static const Gemma3Text kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
