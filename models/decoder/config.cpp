// A decoder's configuration as part of a model's identity.
#include "models/decoder/config.hpp"

namespace yardstick::models {

void describe(const DecoderConfig& config, Fingerprint& fingerprint) {
  fingerprint.add("architecture", config.architecture)
      .add("vocabulary", config.vocabulary)
      .add("width", config.width)
      .add("layers", config.layers)
      .add("decoder.heads", config.heads)
      .add("decoder.kv_heads", config.kv_heads)
      .add("decoder.head_dim", config.head_dim)
      .add("mlp_width", config.mlp_width)
      .add("norm.kind", static_cast<int>(config.norm.kind))
      .add("norm.parameters", static_cast<int>(config.norm.parameters))
      .add("norm.epsilon", config.norm.epsilon)
      .add("qk_norm", static_cast<int>(config.qk_norm))
      .add("qk_norm_parameters", static_cast<int>(config.qk_norm_parameters))
      .add("mlp", static_cast<int>(config.mlp))
      .add("attention_biases", static_cast<int>(config.attention_biases))
      .add("attention_out_bias", static_cast<int>(config.attention_out_bias))
      .add("mlp_biases", static_cast<int>(config.mlp_biases))
      .add("head_bias", static_cast<int>(config.head_bias))
      .add("clip_qkv.given", config.clip_qkv ? 1 : 0)
      .add("clip_qkv", config.clip_qkv.value_or(0.0))
      .add("embedding_norm", static_cast<int>(config.embedding_norm))
      .add("head", static_cast<int>(config.head))
      .add("logit_scale", static_cast<int>(config.logit_scale));
  position::describe(config.position, fingerprint);
}

}  // namespace yardstick::models
