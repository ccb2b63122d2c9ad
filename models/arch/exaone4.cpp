// EXAONE 4 (Exaone4ForCausalLM): norms behind attention and MLP, a norm of each head of q and k;
// with windows, full layers have no position encoding.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Exaone4 final : public HfFamily {
 public:
  Exaone4() : HfFamily("exaone4", "Exaone4ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    if (reader.is_absent("rms_norm_eps")) config.norm.epsilon = 1e-5;
    set_default_kv_heads(reader, config, 32);
    config.norm_placement = NormPlacement::kAfter;
    config.qk_norm = {.over = QkNorm::Over::kHead, .norm = config.norm};
    LayerRopes ropes = read_hf_ropes(reader, config.position);
    if (!read_window(reader)) {
      if (!ropes.full) {
        throw reader.error("rope_parameters", fmt::format("has no settings for {}", kFull));
      }
      config.position = *std::move(ropes.full);
      constexpr std::array<std::string_view, 2> kWindowKeys = {"layer_types",
                                                               "sliding_window_pattern"};
      reader.ignore(kWindowKeys);
      return;
    }
    const std::int64_t pattern = read_pattern(reader);
    set_window_plans(
        reader, config,
        {.full = without_rotation(ropes.sliding ? *ropes.sliding : config.position),
         .sliding = std::move(ropes.sliding),
         .first = kSliding,
         .is_sliding = [&](std::int64_t layer) { return (layer + 1) % pattern != 0; }});
  }

  TensorNames names(const DecoderConfig& /*config*/) const override { return olmo2_names(); }

  /// A number, or a word such as LLLG: local layers, then a global one.
  static std::int64_t read_pattern(ConfigReader& reader) {
    constexpr std::string_view kKey = "sliding_window_pattern";
    const nlohmann::json pattern = reader.raw(kKey);
    if (pattern.is_string()) return std::ssize(pattern.get_ref<const std::string&>());
    return reader.optional_integer(kKey, 1, kMostLayers).value_or(4);
  }
};

}  // namespace

const Architecture& exaone4_architecture() {
  static const Exaone4 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
