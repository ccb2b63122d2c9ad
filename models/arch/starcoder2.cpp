// StarCoder 2 (Starcoder2ForCausalLM): LayerNorm, plain MLP, biases as one setting, perhaps a
// window.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Starcoder2 final : public HfFamily {
 public:
  Starcoder2() : HfFamily("starcoder2", "Starcoder2ForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    set_default_kv_heads(reader, config, 2);
    read_mlp(reader, config, MlpForm::kPlain);
    config.norm = read_layer_norm(reader, "norm_epsilon");
    const Biases all = biases(reader.optional_flag("use_bias").value_or(true));
    config.attention_biases = config.attention_out_bias = config.mlp_biases = all;
    read_hf_rope(reader, config.position, {.length = 4096, .layer_type = uniform_type(reader)});
    read_uniform_window(reader, config);
    constexpr std::array<std::string_view, 3> kDropout = {"embedding_dropout", "residual_dropout",
                                                          "layer_norm_epsilon"};
    reader.ignore(kDropout);
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(), {{"up", "mlp.c_fc"}, {"down", "mlp.c_proj"}});
  }
  bool is_tied_by_default() const override { return true; }
};

}  // namespace

const Architecture& starcoder2_architecture() {
  static const Starcoder2 kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
