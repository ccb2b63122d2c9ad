// GPT-2 (GPT2LMHeadModel): learned positions, LayerNorm, matrices stored transposed, q, k and v in
// one.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Gpt2 final : public HfFamily {
 public:
  Gpt2() : HfFamily("gpt2", "GPT2LMHeadModel") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_gpt2_body(reader, config);
    config.attention_biases = config.attention_out_bias = config.mlp_biases = Biases::kPresent;
    if (!reader.optional_flag("scale_attn_weights").value_or(true)) config.attention_scale = 1.0;
    if (reader.optional_flag("scale_attn_by_inverse_layer_idx").value_or(false))
      config.attention_divisor = LayerDivisor::kLayerNumber;
    reader.require("add_cross_attention", false, "a decoder has no second input");
    read_learned_positions(reader, config, {"n_positions", "n_ctx"});
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    constexpr auto kTransposed = TensorSlot::Storage::kTransposed;
    return {
        .base = "transformer.",
        .layers = "h.",
        .outer = {{"embed", "wte"}, {"positions", "wpe"}, {"norm", "ln_f"}, {"head", "lm_head"}},
        .layer = {{"attn_norm", "ln_1"},
                  {"q", "attn.c_attn", Fusion::kStackedQkv, kTransposed},
                  {"k", "attn.c_attn", Fusion::kStackedQkv, kTransposed},
                  {"v", "attn.c_attn", Fusion::kStackedQkv, kTransposed},
                  {"o", "attn.c_proj", Fusion::kNone, kTransposed},
                  {"mlp_norm", "ln_2"},
                  {"up", "mlp.c_fc", Fusion::kNone, kTransposed},
                  {"down", "mlp.c_proj", Fusion::kNone, kTransposed}}};
  }
  bool is_tied_by_default() const override { return true; }

  /// An order of computation with equal results.
  static constexpr std::array<std::string_view, 1> kInert = {"reorder_and_upcast_attn"};
};

}  // namespace

const Architecture& gpt2_architecture() {
  static const Gpt2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
