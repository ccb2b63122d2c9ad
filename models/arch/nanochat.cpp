// NanoChat (NanoChatForCausalLM): RMSNorm without weights, also of the embedding and of each head
// of q and k behind their rotation, squared ReLU, a soft cap of logits; pairs turn backwards.
#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class NanoChat final : public HfFamily {
 public:
  NanoChat() : HfFamily("nanochat", "NanoChatForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config);
    read_kv_heads(reader, config);
    read_mlp(reader, config, MlpForm::kPlain);
    config.norm = read_rms_norm(reader);
    config.norm.parameters = NormParameters::kNone;
    config.embedding_norm = DecoderConfig::EmbeddingNorm::kPresent;
    config.qk_norm = {
        .over = QkNorm::Over::kHead, .order = QkNorm::Order::kAfterRotation, .norm = config.norm};
    read_attention_bias(reader, config);
    config.logit_soft_cap = number_or_default(reader, "final_logit_softcapping", 15.0);
    read_hf_rope(reader, config.position);
    config.position.turn = position::PositionPlan::Turn::kBackward;
    set_source(config.position, "turn", "family: rotates backwards");
  }

  TensorNames names(const DecoderConfig& /*config*/) const override {
    return with_layer(llama_names(), {{"up", "mlp.fc1"}, {"down", "mlp.fc2"}});
  }
};

}  // namespace

const Architecture& nanochat_architecture() {
  static const NanoChat kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
