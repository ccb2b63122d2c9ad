#include "models/arch/hf_bodies.hpp"

#include <array>
#include <cmath>
#include <string_view>

namespace yardstick::models {

void read_olmo2_body(ConfigReader& reader, DecoderConfig& config) {
  read_sizes(reader, config);
  read_kv_heads(reader, config);
  read_mlp(reader, config, MlpForm::kGated);
  config.norm = read_rms_norm(reader, 1e-5);
  config.norm_placement = NormPlacement::kAfter;
  config.qk_norm = {.over = QkNorm::Over::kWholeProjection, .norm = config.norm};
  read_attention_bias(reader, config);
}

TensorNames olmo2_names() {
  return with_layer(llama_names(), {{"attn_post_norm", "post_attention_layernorm"},
                                    {"mlp_post_norm", "post_feedforward_layernorm"}});
}

void read_gpt2_body(ConfigReader& reader, DecoderConfig& config) {
  read_sizes(reader, config, {.width = {"n_embd"}, .layers = {"n_layer"}, .heads = {"n_head"}});
  config.mlp_width = reader.optional_integer("n_inner", 1, kMostDims).value_or(4 * config.width);
  config.mlp = MlpForm::kPlain;
  config.activation = read_activation(reader, {"activation_function"}, Activation::kGeluTanh);
  config.norm = read_layer_norm(reader, "layer_norm_epsilon");
  constexpr std::array<std::string_view, 7> kInert = {
      "attn_pdrop",   "embd_pdrop",       "summary_activation",    "summary_first_dropout",
      "summary_type", "summary_use_proj", "summary_proj_to_labels"};
  reader.ignore(kInert);
}

void read_gemma_body(ConfigReader& reader, DecoderConfig& config) {
  read_sizes(reader, config);
  read_kv_heads(reader, config);
  read_head_dim(reader, config);
  set_default_head_dim(reader, config, 256);
  config.mlp_width = reader.integer("intermediate_size", 1, kMostDims);
  config.norm = read_rms_norm(reader);
  config.norm.weight_offset = 1.0;
  config.embedding_scale = std::sqrt(static_cast<double>(config.width));
  read_attention_bias(reader, config);
  reader.require("use_bidirectional_attention", false, "attention is causal");
}

void read_gemma2_body(ConfigReader& reader, DecoderConfig& config) {
  config.activation =
      read_activation(reader, {"hidden_activation", "hidden_act"}, Activation::kGeluTanh);
  config.norm_placement = NormPlacement::kAround;
  config.attention_scale =
      1.0 / std::sqrt(reader.optional_number("query_pre_attn_scalar", kLeastPositive, kMostNumber)
                          .value_or(256.0));
}

TensorNames gemma2_names() {
  return with_layer(llama_names(), {{"attn_post_norm", "post_attention_layernorm"},
                                    {"mlp_norm", "pre_feedforward_layernorm"},
                                    {"mlp_post_norm", "post_feedforward_layernorm"}});
}

void read_cohere_body(ConfigReader& reader, DecoderConfig& config) {
  read_sizes(reader, config);
  read_kv_heads(reader, config);
  read_mlp(reader, config, MlpForm::kGated);
  config.norm = read_layer_norm(reader, "layer_norm_eps", NormParameters::kWeight);
  config.block = BlockForm::kParallelSharedNorm;
  read_attention_bias(reader, config);
  config.logit_scale =
      reader.optional_number("logit_scale", kLeastPositive, kMostNumber).value_or(0.0625);
}

}  // namespace yardstick::models
