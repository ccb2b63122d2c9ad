#include "models/arch/llama_layout.hpp"

#include <array>

#include <fmt/format.h>

#include "models/arch/overrides.hpp"
#include "models/arch/tensor_names.hpp"
#include "models/arch/yardstick.hpp"

namespace yardstick::models {
namespace {

/// Bookkeeping keys of the transformers library, which change no number of an evaluation.
constexpr std::array<std::string_view, 76> kBookkeeping = {"_attn_implementation",
                                                           "_attn_implementation_internal",
                                                           "_commit_hash",
                                                           "_name_or_path",
                                                           "add_cross_attention",
                                                           "architectures",
                                                           "attention_dropout",
                                                           "auto_map",
                                                           "bad_words_ids",
                                                           "begin_suppress_tokens",
                                                           "bos_token_id",
                                                           "cross_attention_hidden_size",
                                                           "decoder_start_token_id",
                                                           "diversity_penalty",
                                                           "do_sample",
                                                           "dtype",
                                                           "early_stopping",
                                                           "encoder_no_repeat_ngram_size",
                                                           "eos_token_id",
                                                           "exponential_decay_length_penalty",
                                                           "finetuning_task",
                                                           "forced_bos_token_id",
                                                           "forced_eos_token_id",
                                                           "head_dropout",
                                                           "hidden_dropout",
                                                           "id2label",
                                                           "initializer_range",
                                                           "is_decoder",
                                                           "is_encoder_decoder",
                                                           "keys_to_ignore_at_inference",
                                                           "label2id",
                                                           "length_penalty",
                                                           "max_length",
                                                           "max_sequence_length",
                                                           "min_length",
                                                           "model_type",
                                                           "no_repeat_ngram_size",
                                                           "num_beam_groups",
                                                           "num_beams",
                                                           "num_return_sequences",
                                                           "output_attentions",
                                                           "output_hidden_states",
                                                           "output_router_logits",
                                                           "output_scores",
                                                           "pad_token_id",
                                                           "prefix",
                                                           "pretraining_tp",
                                                           "problem_type",
                                                           "pruned_heads",
                                                           "remove_invalid_values",
                                                           "repetition_penalty",
                                                           "resid_pdrop",
                                                           "return_dict",
                                                           "return_dict_in_generate",
                                                           "sep_token_id",
                                                           "suppress_tokens",
                                                           "task_specific_params",
                                                           "temperature",
                                                           "tf_legacy_loss",
                                                           "tie_encoder_decoder",
                                                           "tokenizer_class",
                                                           "top_k",
                                                           "top_p",
                                                           "torch_dtype",
                                                           "torchscript",
                                                           "transformers_version",
                                                           "typical_p",
                                                           "unsloth_fixed",
                                                           "unsloth_version",
                                                           "use_bfloat16",
                                                           "use_cache",
                                                           "use_flash_attention",
                                                           "use_flash_attention_2",
                                                           "use_flash_attn",
                                                           "vocab_file",
                                                           "xla_device"};

Biases biases(bool present) { return present ? Biases::kPresent : Biases::kAbsent; }

void read_heads(ConfigReader& reader, DecoderConfig& config) {
  position::PositionPlan& plan = config.position;
  config.heads = reader.integer("num_attention_heads", 1, kMostDims);
  config.kv_heads =
      reader.optional_integer("num_key_value_heads", 1, kMostDims).value_or(config.heads);
  if (config.heads % config.kv_heads != 0) {
    throw reader.error("num_key_value_heads", fmt::format("{} does not divide the {} query heads",
                                                          config.kv_heads, config.heads));
  }
  set_source(plan, "heads", reader.origin("num_attention_heads"));
  set_source(plan, "kv_heads", reader.origin("num_key_value_heads"));
  set_source(plan, "head_dim", reader.origin("head_dim"));
  if (const auto head_dim = reader.optional_integer("head_dim", 1, kMostDims)) {
    config.head_dim = *head_dim;
  } else if (config.width % config.heads != 0) {
    throw reader.error("num_attention_heads",
                       fmt::format("{} does not divide hidden_size ({}), and there is no head_dim",
                                   config.heads, config.width));
  } else {
    config.head_dim = config.width / config.heads;
    set_source(
        plan, "head_dim",
        fmt::format("{}: hidden_size / num_attention_heads", file_name(reader.located().file())));
  }
  plan.heads = config.heads;
  plan.kv_heads = config.kv_heads;
  plan.head_dim = config.head_dim;
}

/// Sizes, norm, activation and biases; the heads of config.position with their sources.
DecoderConfig read_body(ConfigReader& reader) {
  DecoderConfig config;
  config.vocabulary = reader.integer("vocab_size", 1, kMostDims);
  config.width = reader.integer("hidden_size", 1, kMostDims);
  config.layers = reader.integer("num_hidden_layers", 1, kMostLayers);
  config.mlp_width = reader.integer("intermediate_size", 1, kMostDims);
  read_heads(reader, config);
  config.norm.epsilon = reader.optional_number("rms_norm_eps", 0.0, 1.0).value_or(1e-6);
  reader.require("hidden_act", "silu", "the MLP is SwiGLU");
  const Biases attention = biases(reader.optional_flag("attention_bias").value_or(false));
  config.attention_biases = attention;
  config.attention_out_bias = attention;
  config.mlp_biases = biases(reader.optional_flag("mlp_bias").value_or(false));
  return config;
}

/// Head and embedding by tie_word_embeddings and what the checkpoint has.
void read_head(ConfigReader& reader, const ModelOverrides& overrides,
               const checkpoint::TensorSource& source, DecoderConfig& config) {
  const HeadQuestion question{
      .head = yardstick_tensor_name("head.weight"),
      .embedding = yardstick_tensor_name("embed.weight"),
      .tied_key = "tie_word_embeddings",
      .file = reader.located().file(),
      .tied_by_config = reader.optional_flag("tie_word_embeddings").value_or(false)};
  config.head = decide_head(question, overrides, source, config.position);
}

}  // namespace

bool LlamaLayout::accepts(const ConfigSource& config) const {
  return has_model_type(config, name());
}

DecoderConfig LlamaLayout::read_config(const ConfigSource& source_config,
                                       const ModelOverrides& overrides,
                                       const checkpoint::TensorSource& source) const {
  return as_model_error([&] {
    const Located located(source_config.values, source_config.file);
    ConfigReader reader(located, "", fmt::format("the configuration of a {} model", name()));
    DecoderConfig config = read_body(reader);
    config.architecture = name();
    read_family(reader, source, config);
    reader.ignore(kBookkeeping);
    read_head(reader, overrides, source, config);
    reader.finish();
    apply_position_overrides(overrides.position, config.position);
    return config;
  });
}

std::vector<TensorSlot> LlamaLayout::slots(const DecoderConfig& config,
                                           const checkpoint::TensorSource& /*source*/) const {
  std::vector<TensorSlot> slots;
  for (const DecoderTensor& tensor : checkpoint_tensors(config)) {
    slots.push_back({.name = tensor.name,
                     .source = yardstick_tensor_name(tensor.name),
                     .shape = tensor.shape,
                     .source_shape = tensor.shape});
  }
  return slots;
}

bool LlamaLayout::is_recomputed_buffer(std::string_view source_name) const {
  return source_name.ends_with("rotary_emb.inv_freq") ||
         source_name == yardstick_tensor_name("head.weight");
}

}  // namespace yardstick::models
