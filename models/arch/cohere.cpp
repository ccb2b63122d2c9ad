// Cohere's Command R (CohereForCausalLM): attention and MLP side by side behind one LayerNorm
// without bias, neighbouring pairs rotate, logits are scaled.
#include "models/arch/factories.hpp"
#include "models/arch/hf_bodies.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Cohere final : public HfFamily {
 public:
  Cohere() : HfFamily("cohere", "CohereForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_cohere_body(reader, config);
    if (reader.optional_flag("use_qk_norm").value_or(false))
      config.qk_norm = {.over = QkNorm::Over::kHeadOwnWeights, .norm = config.norm};
    read_hf_rope(reader, config.position,
                 {.layout = position::PairLayout::kInterleaved, .length = 8192});
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(), {{"q_norm", "self_attn.q_norm", Fusion::kHeadRows},
                                      {"k_norm", "self_attn.k_norm", Fusion::kHeadRows}});
  }
  bool is_tied_by_default() const override { return true; }
};

}  // namespace

const Architecture& cohere_architecture() {
  static const Cohere kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
