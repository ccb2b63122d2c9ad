// SmolLM 3 (SmolLM3ForCausalLM): LLaMA's block; some layers have no position encoding.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class SmolLm3 final : public HfFamily {
 public:
  SmolLm3() : HfFamily("smollm3", "SmolLM3ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_llama_body(reader, config);
    set_default_kv_heads(reader, config, 4);
    read_hf_rope(reader, config.position, {.theta = 2e6, .length = 32768});
    reader.require("use_sliding_window", false, "windows of this family are not mapped");
    reader.require("sliding_window", nullptr, "windows of this family are not mapped");
    constexpr std::array<std::string_view, 2> kWindowKeys = {"layer_types", "max_window_layers"};
    reader.ignore(kWindowKeys);
    set_layer_plans(config, read_types(reader, config.layers),
                    {{"rotary", config.position}, {"no_rope", without_rotation(config.position)}});
  }

  bool is_tied_by_default() const override { return true; }

  /// no_rope_layers: 1 rotates, 0 does not.
  static std::vector<std::string> read_types(ConfigReader& reader, std::int64_t layers) {
    const std::int64_t interval =
        reader.optional_integer("no_rope_layer_interval", 1, kMostLayers).value_or(4);
    const std::optional<std::vector<double>> flags = reader.optional_numbers("no_rope_layers");
    if (flags && static_cast<std::int64_t>(flags->size()) != layers) {
      throw reader.error("no_rope_layers", "expected one number a layer");
    }
    std::vector<std::string> types;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const bool rotates =
          flags ? (*flags)[static_cast<std::size_t>(layer)] != 0.0 : (layer + 1) % interval != 0;
      types.emplace_back(rotates ? "rotary" : "no_rope");
    }
    return types;
  }
};

}  // namespace

const Architecture& smollm3_architecture() {
  static const SmolLm3 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
