// gptneox. The format does not say which GELU the model has; Pythia's and NeoX-20B's are exact and
// tanh-approximated ("gelu", "gelu_fast"), so the configuration says the default, "gelu".
#include <cmath>

#include "models/checkpoint/gguf/family.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr Name kOuter[] = {{"token_embd", "gpt_neox.embed_in"},
                           {"output_norm", "gpt_neox.final_layer_norm"},
                           {"output", "embed_out"}};
constexpr Name kInner[] = {
    {"attn_norm", "input_layernorm"},   {"attn_qkv", "attention.query_key_value", Order::kByHead},
    {"attn_output", "attention.dense"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_up", "mlp.dense_h_to_4h"},    {"ffn_down", "mlp.dense_4h_to_h"}};

/// The share of a head that rotates, such that share x head_dim, cut to a whole number as
/// transformers does, gives the file's count back.
double rotary_share(std::int64_t rotary_dims, std::int64_t head_dim) {
  const auto whole = static_cast<double>(head_dim);
  double share = static_cast<double>(rotary_dims) / whole;
  while (static_cast<std::int64_t>(share * whole) < rotary_dims) share = std::nextafter(share, 2);
  return share;
}

json config(const Facts& facts) {
  const Dims& dims = facts.dims;
  Metadata& metadata = facts.metadata;
  const double epsilon = metadata.needed_number(facts.key("attention.layer_norm_epsilon"));
  require_own_keys(facts);
  const std::string parallel_key = facts.key("use_parallel_residual");
  const std::optional<bool> parallel = metadata.flag(parallel_key);
  if (!parallel) throw metadata.error(parallel_key, "is missing; expected a truth value");
  const std::int64_t rotary = metadata.needed_size(facts.key("rope.dimension_count"));
  if (rotary > dims.head_dim) {
    throw metadata.error(facts.key("rope.dimension_count"), "is larger than a head");
  }
  json out = {{"model_type", "gpt_neox"},
              {"architectures", {"GPTNeoXForCausalLM"}},
              {"hidden_size", dims.width},
              {"intermediate_size", dims.mlp_width},
              {"num_hidden_layers", dims.layers},
              {"num_attention_heads", dims.heads},
              {"hidden_act", "gelu"},
              {"layer_norm_eps", epsilon},
              {"max_position_embeddings", dims.context_length},
              {"rotary_pct", rotary_share(rotary, dims.head_dim)},
              {"use_parallel_residual", *parallel},
              {"attention_bias", facts.has_tensor("blk.0.attn_qkv.bias")}};
  add_rope(facts, "rotary_emb_base", out);
  return out;
}

}  // namespace

const Family& gptneox_family() {
  static constexpr Family kFamily{.architecture = "gptneox",
                                  .outer = kOuter,
                                  .layers = "gpt_neox.layers.",
                                  .inner = kInner,
                                  .consumed = kRopeTensors,
                                  .config = config};
  return kFamily;
}

}  // namespace yardstick::checkpoint::gguf
