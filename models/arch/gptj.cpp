// GPT-J (GPTJForCausalLM): attention and MLP side by side behind one LayerNorm, neighbouring pairs
// of part of the head rotate, the head has a bias.
#include <array>

#include "models/arch/factories.hpp"
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
    read_sizes(reader, config, {.width = {"n_embd"}, .layers = {"n_layer"}, .heads = {"n_head"}});
    config.mlp_width = reader.optional_integer("n_inner", 1, kMostDims).value_or(4 * config.width);
    config.mlp = MlpForm::kPlain;
    config.activation = read_activation(reader, {"activation_function"}, Activation::kGeluTanh);
    config.norm = read_layer_norm(reader, "layer_norm_epsilon");
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

  /// Dropout, and the pooling of classifiers.
  static constexpr std::array<std::string_view, 9> kInert = {"attn_pdrop",
                                                             "embd_pdrop",
                                                             "rotary",
                                                             "scale_attn_weights",
                                                             "summary_activation",
                                                             "summary_first_dropout",
                                                             "summary_proj_to_labels",
                                                             "summary_type",
                                                             "summary_use_proj"};
};

}  // namespace

const Architecture& gptj_architecture() {
  static const GptJ kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
