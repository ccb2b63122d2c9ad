// Falcon (FalconForCausalLM): 7B with one key head, 40B with groups and two norms, 11B with groups
// and one, RW with ALiBi and a sequential block.
#include <array>

#include "models/arch/factories.hpp"
#include "models/arch/hf_family.hpp"
#include "models/arch/rope_fields.hpp"

namespace yardstick::models {
namespace {

class Falcon final : public HfFamily {
 public:
  Falcon() : HfFamily("falcon", "FalconForCausalLM") {}

 private:
  void read(ConfigReader& reader, const checkpoint::TensorSource& /*source*/,
            DecoderConfig& config) const override {
    read_sizes(reader, config,
               {.width = {"hidden_size"},
                .layers = {"num_hidden_layers", "n_layer"},
                .heads = {"num_attention_heads", "n_head"}});
    const bool has_one_key_head = reader.optional_flag("multi_query").value_or(true);
    const std::string_view kv_key = reader.either({"num_kv_heads", "n_head_kv"});
    if (is_new_architecture(reader)) {
      read_kv_heads(reader, config, kv_key);
    } else {
      // Without the new architecture the number is not read: one key head, or as many as heads.
      reader.ignore({&kv_key, 1});
      if (has_one_key_head) {
        config.kv_heads = config.position.kv_heads = 1;
        set_source(config.position, "kv_heads", reader.origin("multi_query"));
      }
    }
    read_block(reader, config);
    config.mlp_width =
        reader.optional_integer("ffn_hidden_size", 1, kMostDims).value_or(4 * config.width);
    config.mlp = MlpForm::kPlain;
    config.activation = read_activation(reader, {"activation"}, Activation::kGelu);
    config.norm = read_layer_norm(reader, "layer_norm_epsilon");
    const Biases all = biases(reader.optional_flag("bias").value_or(false));
    config.attention_biases = config.attention_out_bias = config.mlp_biases = all;
    read_positions(reader, config);
    constexpr std::array<std::string_view, 1> kInert = {"ffn_factor"};
    reader.ignore(kInert);
  }

  TensorNames names(const DecoderConfig& config) const override {
    constexpr std::string_view kFused = "self_attention.query_key_value";
    const bool has_own_norms = config.block == BlockForm::kParallel;
    return {.base = "transformer.",
            .layers = "h.",
            .outer = {{"embed", "word_embeddings"}, {"norm", "ln_f"}, {"head", "lm_head"}},
            .layer = {{"attn_norm", has_own_norms ? "ln_attn" : "input_layernorm"},
                      {"q", kFused, Fusion::kGroupedQkv},
                      {"k", kFused, Fusion::kGroupedQkv},
                      {"v", kFused, Fusion::kGroupedQkv},
                      {"o", "self_attention.dense"},
                      {"mlp_norm", has_own_norms ? "ln_mlp" : "post_attention_layernorm"},
                      {"up", "mlp.dense_h_to_4h"},
                      {"down", "mlp.dense_4h_to_h"}}};
  }
  bool is_tied_by_default() const override { return true; }

  static bool is_new_architecture(ConfigReader& reader) {
    return reader.optional_flag("new_decoder_architecture").value_or(false);
  }

  static void read_block(ConfigReader& reader, DecoderConfig& config) {
    const bool is_new = is_new_architecture(reader);
    const bool is_parallel = reader.optional_flag("parallel_attn").value_or(true);
    const std::int64_t norms =
        reader.optional_integer("num_ln_in_parallel_attn", 1, 2).value_or(is_new ? 2 : 1);
    if (is_new && norms == 2) {
      config.block = BlockForm::kParallel;
    } else if (is_new || is_parallel) {
      config.block = BlockForm::kParallelSharedNorm;
    }
  }

  static void read_positions(ConfigReader& reader, DecoderConfig& config) {
    position::PositionPlan& plan = config.position;
    if (!reader.optional_flag("alibi").value_or(false)) {
      read_hf_rope(reader, plan);
      return;
    }
    plan.kind = position::Kind::kAlibi;
    plan.alibi.form = position::Alibi::Form::kFalcon;
    set_source(plan, "kind", reader.origin("alibi"));
    set_source(plan, "alibi.slopes", "family: as published");
    set_source(plan, "alibi_bias_max", "family: 8");
    set_source(plan, "alibi.form", "family: bfloat16 by key, divided by sqrt(head_dim)");
    read_training_length(reader, plan, {"max_position_embeddings"});
    // The library writes default rotary settings beside alibi; others would go unused.
    constexpr std::array<std::string_view, 3> kRotary = {"rope_theta", "rope_scaling",
                                                         "rope_parameters"};
    reader.ignore(kRotary);
    for (const std::string_view key : {"rope_scaling", "rope_parameters"}) {
      const nlohmann::json value = reader.raw(key);
      const bool is_default = value.is_null() || (value.is_object() &&
                                                  value.value("rope_type", "default") == "default");
      if (!is_default) throw reader.error(key, "alibi is true, so no rotation would use it");
    }
  }
};

}  // namespace

const Architecture& falcon_architecture() {
  static const Falcon kArchitecture;
  return kArchitecture;
}

}  // namespace yardstick::models
