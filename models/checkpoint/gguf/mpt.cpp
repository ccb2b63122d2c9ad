// mpt. The format has no place for softmax_scale and logit_scale; files of models that set them
// are wrong in every program.
#include <fmt/format.h>

#include "models/checkpoint/gguf/family.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr Name kOuter[] = {{"token_embd", "transformer.wte"},
                           {"position_embd", "transformer.wpe"},
                           {"output_norm", "transformer.norm_f"},
                           {"output", "lm_head"}};
constexpr Name kInner[] = {{"attn_norm", "norm_1"},          {"attn_qkv", "attn.Wqkv"},
                           {"attn_q_norm", "attn.q_ln"},     {"attn_k_norm", "attn.k_ln"},
                           {"attn_output", "attn.out_proj"}, {"ffn_norm", "norm_2"},
                           {"ffn_up", "ffn.up_proj"},        {"ffn_down", "ffn.down_proj"}};

json attention(const Facts& facts) {
  Metadata& metadata = facts.metadata;
  const std::string bias_key = facts.key("attention.max_alibi_bias");
  const std::optional<double> bias = metadata.number(bias_key);
  if (!bias || *bias < 0) throw metadata.error(bias_key, "is missing or negative");
  json out = {{"attn_type", "multihead_attention"},
              {"alibi", *bias != 0},
              {"clip_qkv", nullptr},
              {"qk_ln", facts.has_tensor("blk.0.attn_q_norm.weight")}};
  if (*bias != 0) out["alibi_bias_max"] = *bias;
  const std::optional<double> clip = metadata.number(facts.key("attention.clamp_kqv"));
  if (clip && *clip != 0) out["clip_qkv"] = *clip;
  if (facts.dims.kv_heads != facts.dims.heads) out["kv_n_heads"] = facts.dims.kv_heads;
  return out;
}

json config(const Facts& facts) {
  const Dims& dims = facts.dims;
  Metadata& metadata = facts.metadata;
  const double epsilon = metadata.needed_number(facts.key("attention.layer_norm_epsilon"));
  if (dims.mlp_width % dims.width != 0) {
    throw metadata.error(
        facts.key("feed_forward_length"),
        fmt::format("is {}, which is no multiple of the width {}", dims.mlp_width, dims.width));
  }
  return {{"model_type", "mpt"},
          {"architectures", {"MptForCausalLM"}},
          {"d_model", dims.width},
          {"n_layers", dims.layers},
          {"n_heads", dims.heads},
          {"expansion_ratio", dims.mlp_width / dims.width},
          {"max_seq_len", dims.context_length},
          {"layer_norm_epsilon", epsilon},
          {"no_bias", !facts.has_tensor("blk.0.attn_norm.bias")},
          {"attn_config", attention(facts)}};
}

}  // namespace

const Family& mpt_family() {
  static constexpr Family kFamily{.architecture = "mpt",
                                  .outer = kOuter,
                                  .layers = "transformer.blocks.",
                                  .inner = kInner,
                                  .consumed = {},
                                  .config = config};
  return kFamily;
}

}  // namespace yardstick::checkpoint::gguf
