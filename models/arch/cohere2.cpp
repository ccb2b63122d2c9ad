// Cohere's Command R7B (Cohere2ForCausalLM): Command R's block; window layers rotate, full layers
// have no position encoding.
#include <utility>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Cohere2 final : public HfFamily {
 public:
  Cohere2() : HfFamily("cohere2", "Cohere2ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_cohere_body(reader, config);
    read_head_dim(reader, config);
    LayerRopes ropes = read_hf_ropes(
        reader, config.position, {.layout = position::PairLayout::kInterleaved, .length = 8192});
    const std::int64_t pattern =
        reader
            .optional_integer(reader.either({"sliding_window_pattern", "_sliding_window_pattern"}),
                              1, kMostLayers)
            .value_or(4);
    set_window_plans(
        reader, config,
        {.full = without_rotation(ropes.sliding ? *ropes.sliding : config.position),
         .sliding = std::move(ropes.sliding),
         .first = kSliding,
         .is_sliding = [&](std::int64_t layer) { return (layer + 1) % pattern != 0; }});
  }

  bool is_tied_by_default() const override { return true; }
};

}  // namespace

const Architecture& cohere2_architecture() {
  static const Cohere2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
