// llama (also Mistral's files) and qwen2. The converter stores llama's q and k with the two numbers
// of a rotary pair in neighbouring rows; qwen2's stay as Hugging Face has them.
#include <fmt/format.h>

#include "models/checkpoint/gguf/family.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr Name kOuter[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};
constexpr std::string_view kLayers = "model.layers.";
constexpr Name kLlamaInner[] = {{"attn_norm", "input_layernorm"},
                                {"attn_q", "self_attn.q_proj", Order::kPairedQueries},
                                {"attn_k", "self_attn.k_proj", Order::kPairedKeys},
                                {"attn_v", "self_attn.v_proj"},
                                {"attn_output", "self_attn.o_proj"},
                                {"ffn_norm", "post_attention_layernorm"},
                                {"ffn_gate", "mlp.gate_proj"},
                                {"ffn_up", "mlp.up_proj"},
                                {"ffn_down", "mlp.down_proj"}};
constexpr Name kQwen2Inner[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"}};

json shared_config(const Facts& facts, std::string_view model_type, std::string_view class_name) {
  const Dims& dims = facts.dims;
  Metadata& metadata = facts.metadata;
  const double epsilon = metadata.needed_number(facts.key("attention.layer_norm_rms_epsilon"));
  metadata.require(facts.key("rope.dimension_count"), static_cast<double>(dims.head_dim),
                   "whole heads rotate");
  json config = {{"model_type", model_type},
                 {"architectures", {class_name}},
                 {"hidden_size", dims.width},
                 {"intermediate_size", dims.mlp_width},
                 {"num_hidden_layers", dims.layers},
                 {"num_attention_heads", dims.heads},
                 {"num_key_value_heads", dims.kv_heads},
                 {"head_dim", dims.head_dim},
                 {"hidden_act", "silu"},
                 {"rms_norm_eps", epsilon},
                 {"max_position_embeddings", dims.context_length}};
  add_rope(facts, "rope_theta", config);
  return config;
}

json llama_config(const Facts& facts) {
  json config = shared_config(facts, "llama", "LlamaForCausalLM");
  config["attention_bias"] = facts.has_tensor("blk.0.attn_q.bias");
  config["mlp_bias"] = facts.has_tensor("blk.0.ffn_up.bias");
  const std::string layout_key = facts.key("tensor_data_layout");
  const auto layout = facts.metadata.text(layout_key);
  if (layout && *layout != "Meta AI original pth") {
    throw facts.metadata.error(layout_key,
                               fmt::format("is '{}'; expected 'Meta AI original pth'", *layout));
  }
  return config;
}

json qwen2_config(const Facts& facts) {
  json config = shared_config(facts, "qwen2", "Qwen2ForCausalLM");
  config["use_sliding_window"] = false;
  return config;
}

}  // namespace

const Family& llama_family() {
  static constexpr Family kFamily{.architecture = "llama",
                                  .outer = kOuter,
                                  .layers = kLayers,
                                  .inner = kLlamaInner,
                                  .consumed = kRopeTensors,
                                  .config = llama_config};
  return kFamily;
}

const Family& qwen2_family() {
  static constexpr Family kFamily{.architecture = "qwen2",
                                  .outer = kOuter,
                                  .layers = kLayers,
                                  .inner = kQwen2Inner,
                                  .consumed = kRopeTensors,
                                  .config = qwen2_config};
  return kFamily;
}

}  // namespace yardstick::checkpoint::gguf
