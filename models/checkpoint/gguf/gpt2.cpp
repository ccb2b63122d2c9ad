// gpt2. Hugging Face keeps its matrices [in, out]; the converter turns them. The format has no
// place for scale_attn_by_inverse_layer_idx; every published model has it off.
#include "models/checkpoint/gguf/family.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

using nlohmann::json;

constexpr Name kOuter[] = {{"token_embd", "transformer.wte"},
                           {"position_embd", "transformer.wpe"},
                           {"output_norm", "transformer.ln_f"},
                           {"output", "lm_head"}};
constexpr Name kInner[] = {{"attn_norm", "ln_1"},
                           {"attn_qkv", "attn.c_attn", Order::kTransposed},
                           {"attn_output", "attn.c_proj", Order::kTransposed},
                           {"ffn_norm", "ln_2"},
                           {"ffn_up", "mlp.c_fc", Order::kTransposed},
                           {"ffn_down", "mlp.c_proj", Order::kTransposed}};

json config(const Facts& facts) {
  const Dims& dims = facts.dims;
  Metadata& metadata = facts.metadata;
  const double epsilon = metadata.needed_number(facts.key("attention.layer_norm_epsilon"));
  require_own_keys(facts);
  return {{"model_type", "gpt2"},
          {"architectures", {"GPT2LMHeadModel"}},
          {"n_embd", dims.width},
          {"n_layer", dims.layers},
          {"n_head", dims.heads},
          {"n_inner", dims.mlp_width},
          {"n_positions", dims.context_length},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", epsilon}};
}

}  // namespace

const Family& gpt2_family() {
  static constexpr Family kFamily{.architecture = "gpt2",
                                  .outer = kOuter,
                                  .layers = "transformer.h.",
                                  .inner = kInner,
                                  .consumed = {},
                                  .config = config};
  return kFamily;
}

}  // namespace yardstick::checkpoint::gguf
