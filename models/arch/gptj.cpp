// GPT-J (GPTJForCausalLM): attention and MLP side by side behind one LayerNorm, neighbouring pairs
// of part of the head rotate, the head has a bias.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class GptJ final : public HfFamily {
 public:
  GptJ() : HfFamily("gptj", "GPTJForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_gpt2_body(reader, config);
    config.block = BlockForm::kParallelSharedNorm;
    config.mlp_biases = config.head_bias = Biases::kPresent;
    read_hf_rope(
        reader, config.position,
        {.layout = position::PairLayout::kInterleaved, .length_keys = {"n_positions", "n_ctx"}});
    const std::int64_t dims = reader.optional_integer("rotary_dim", 2, kMostDims).value_or(64);
    if (dims % 2 != 0 || dims > config.head_dim)
      throw reader.error("rotary_dim", "expected an even number up to the head's width");
    config.position.rotary_dims = dims;
    set_source(config.position, "rotary_dims", reader.origin("rotary_dim"));
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return {.base = "transformer.",
            .layers = "h.",
            .outer = {{"embed", "wte"}, {"norm", "ln_f"}, {"head", "lm_head"}},
            .layer = {{"attn_norm", "ln_1"},
                      {"q", "attn.q_proj"},
                      {"k", "attn.k_proj"},
                      {"v", "attn.v_proj"},
                      {"o", "attn.out_proj"},
                      {"up", "mlp.fc_in"},
                      {"down", "mlp.fc_out"}}};
  }

  /// Written by the library, read by none of its code.
  static constexpr std::array<std::string_view, 2> kInert = {"rotary", "scale_attn_weights"};
};

}  // namespace

const Architecture& gptj_architecture() {
  static const GptJ kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
