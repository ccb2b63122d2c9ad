// bloom. The format has no place for apply_residual_connection_post_layernorm; every published
// model has it off.
#include "models/checkpoint/gguf/family.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr Name kOuter[] = {{"token_embd", "transformer.word_embeddings"},
                           {"token_embd_norm", "transformer.word_embeddings_layernorm"},
                           {"output_norm", "transformer.ln_f"},
                           {"output", "lm_head"}};
constexpr Name kInner[] = {{"attn_norm", "input_layernorm"},
                           {"attn_qkv", "self_attention.query_key_value", Order::kByHead},
                           {"attn_output", "self_attention.dense"},
                           {"ffn_norm", "post_attention_layernorm"},
                           {"ffn_up", "mlp.dense_h_to_4h"},
                           {"ffn_down", "mlp.dense_4h_to_h"}};

json config(const Facts& facts) {
  const Dims& dims = facts.dims;
  Metadata& metadata = facts.metadata;
  const double epsilon = metadata.needed_number(facts.key("attention.layer_norm_epsilon"));
  require_own_keys(facts);
  metadata.require(facts.key("attention.max_alibi_bias"), 8, "BLOOM's slopes begin at 2^-8/heads");
  metadata.require(facts.key("feed_forward_length"), static_cast<double>(4 * dims.width),
                   "BLOOM's MLP is four times as wide as the model");
  return {{"model_type", "bloom"},         {"architectures", {"BloomForCausalLM"}},
          {"hidden_size", dims.width},     {"n_layer", dims.layers},
          {"n_head", dims.heads},          {"seq_length", dims.context_length},
          {"layer_norm_epsilon", epsilon}, {"apply_residual_connection_post_layernorm", false}};
}

}  // namespace

const Family& bloom_family() {
  static constexpr Family kFamily{.architecture = "bloom",
                                  .outer = kOuter,
                                  .layers = "transformer.h.",
                                  .inner = kInner,
                                  .consumed = {},
                                  .config = config};
  return kFamily;
}

}  // namespace yardstick::checkpoint::gguf
