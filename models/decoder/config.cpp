// A decoder's configuration as part of a model's identity.
#include "models/decoder/config.hpp"

namespace yardstick::models {
namespace {

void add_optional(std::string_view name, const std::optional<double>& value,
                  Fingerprint& fingerprint) {
  fingerprint.add(name, value ? "given" : "absent");
  if (value) fingerprint.add(name, *value);
}

void describe(const QkNorm& norm, Fingerprint& fingerprint) {
  fingerprint.add("qk_norm.over", static_cast<int>(norm.over))
      .add("qk_norm.order", static_cast<int>(norm.order))
      .add("qk_norm.kind", static_cast<int>(norm.norm.kind))
      .add("qk_norm.parameters", static_cast<int>(norm.norm.parameters))
      .add("qk_norm.epsilon", norm.norm.epsilon)
      .add("qk_norm.weight_offset", norm.norm.weight_offset);
}

}  // namespace

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
      .add("norm.weight_offset", config.norm.weight_offset)
      .add("norm_placement", static_cast<int>(config.norm_placement))
      .add("block", static_cast<int>(config.block))
      .add("residual", static_cast<int>(config.residual))
      .add("activation", static_cast<int>(config.activation))
      .add("mlp", static_cast<int>(config.mlp))
      .add("attention_biases", static_cast<int>(config.attention_biases))
      .add("attention_out_bias", static_cast<int>(config.attention_out_bias))
      .add("mlp_biases", static_cast<int>(config.mlp_biases))
      .add("head_bias", static_cast<int>(config.head_bias))
      .add("embedding_norm", static_cast<int>(config.embedding_norm))
      .add("head", static_cast<int>(config.head))
      .add("embedding_scale", config.embedding_scale)
      .add("residual_scale", config.residual_scale)
      .add("logit_scale", config.logit_scale)
      .add("attention_divisor", static_cast<int>(config.attention_divisor));
  add_optional("logit_soft_cap", config.logit_soft_cap, fingerprint);
  add_optional("attention_scale", config.attention_scale, fingerprint);
  add_optional("attention_soft_cap", config.attention_soft_cap, fingerprint);
  add_optional("clip_qkv", config.clip_qkv, fingerprint);
  describe(config.qk_norm, fingerprint);
  position::describe(config.position, fingerprint);
  for (const position::PositionPlan& plan : config.layer_plans.others)
    position::describe(plan, fingerprint);
  for (const std::int64_t kind : config.layer_plans.of_layer) fingerprint.add("layer_kind", kind);
}

}  // namespace yardstick::models
