// Gemma 3, text (Gemma3ForCausalLM): Gemma 2's block with a norm of each head of q and k; window
// layers have rotary settings of their own.
#include <utility>

#include <fmt/format.h>

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
    const std::int64_t pattern =
        reader
            .optional_integer(reader.either({"sliding_window_pattern", "_sliding_window_pattern"}),
                              1, kMostLayers)
            .value_or(6);
    LayerRopes ropes = read_ropes(reader, config.position);
    set_window_plans(
        reader, config,
        {.full = std::move(ropes.full),
         .sliding = std::move(ropes.sliding),
         .is_sliding = [&](std::int64_t layer) { return (layer + 1) % pattern != 0; }});
    config.layer_plans.never_scaled = kSliding;
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return gemma2_names(); }
  bool is_tied_by_default() const override { return true; }

  /// Window layers have an object of rope_parameters, or rope_local_base_freq without the scaling
  /// of the others.
  static LayerRopes read_ropes(ConfigReader& reader, const position::PositionPlan& heads) {
    const std::optional<double> local =
        reader.optional_number("rope_local_base_freq", kLeastPositive, kMostNumber);
    LayerRopes ropes = read_hf_ropes(reader, heads, {.theta = 1e6, .length = 131072});
    if (has_rope_by_layer_type(reader)) {
      const nlohmann::json objects = reader.raw("rope_parameters");
      // Neither the theta of the full layers nor their default is that of the window layers.
      if (ropes.sliding &&
          objects.at(std::string(kSliding)).value("rope_theta", nlohmann::json()).is_null()) {
        ropes.sliding->theta = local.value_or(10000.0);
        set_source(*ropes.sliding, "rope_theta", reader.origin("rope_local_base_freq"));
      }
      check_local_theta(reader, local, ropes);
      return ropes;
    }
    ropes.sliding = without_scaling(*ropes.sliding);
    ropes.sliding->theta = local.value_or(10000.0);
    set_source(*ropes.sliding, "rope_theta", reader.origin("rope_local_base_freq"));
    return ropes;
  }

  static void check_local_theta(ConfigReader& reader, std::optional<double> local,
                                const LayerRopes& ropes) {
    if (!local || !ropes.sliding || *local == ropes.sliding->theta) return;
    throw reader.error("rope_local_base_freq",
                       fmt::format("is {}, but rope_parameters.{} says {}; remove one", *local,
                                   kSliding, ropes.sliding->theta));
  }
};

}  // namespace

const Architecture& gemma3_text_architecture() {
  static const Gemma3Text kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
