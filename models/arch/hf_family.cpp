#include "models/arch/hf_family.hpp"

#include <array>

#include <fmt/format.h>

#include "models/arch/overrides.hpp"
#include "models/arch/tensor_names.hpp"

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

}  // namespace

bool HfFamily::accepts(const ConfigSource& config) const {
  return has_model_type(config, model_type_);
}

/// A class that is no language model has other tensors and another output.
void HfFamily::check_class(ConfigReader& reader) const {
  const nlohmann::json classes = reader.raw("architectures");
  if (class_name_.empty() || !classes.is_array() || classes.empty()) return;
  for (const nlohmann::json& name : classes) {
    if (name == class_name_) return;
  }
  // Before its official release LLaMA was written with other capitals.
  if (class_name_ == "LlamaForCausalLM" && classes.front() == "LLaMAForCausalLM") return;
  throw reader.error("architectures",
                     fmt::format("{} is not supported; expected {}", classes.dump(), class_name_));
}

void HfFamily::read_head(ConfigReader& reader, const ModelOverrides& overrides,
                         const checkpoint::TensorSource& source, DecoderConfig& config) const {
  const TensorNames table = names(config);
  const HeadQuestion question{
      .head = outer_name(table, "head.weight", source),
      .embedding = outer_name(table, "embed.weight", source),
      .tied_key = "tie_word_embeddings",
      .file = reader.located().file(),
      .tied_by_config = reader.optional_flag("tie_word_embeddings").value_or(is_tied_by_default())};
  config.head = decide_head(question, overrides, source, config.position);
}

DecoderConfig HfFamily::read_config(const ConfigSource& source_config,
                                    const ModelOverrides& overrides,
                                    const checkpoint::TensorSource& source) const {
  return as_model_error([&] {
    const Located located(source_config.values, source_config.file);
    ConfigReader reader(located, "", fmt::format("the configuration of a {} model", name()));
    DecoderConfig config;
    config.architecture = name();
    check_class(reader);
    reader.require("quantization_config", nullptr, "weights must be F64, F32, F16, BF16 or F8");
    read(reader, source, config);
    reader.ignore(kBookkeeping);
    read_head(reader, overrides, source, config);
    reader.finish();
    apply_position_overrides(overrides.position, config);
    return config;
  });
}

TensorNames HfFamily::names(const DecoderConfig& /*config*/) const { return llama_names(); }

std::vector<TensorSlot> HfFamily::slots(const DecoderConfig& config,
                                        const checkpoint::TensorSource& source) const {
  return slots_of(names(config), config, source);
}

bool HfFamily::is_recomputed_buffer(std::string_view source_name) const {
  const bool is_mask = source_name.ends_with(".attn.bias") ||
                       source_name.ends_with(".attention.bias") ||
                       source_name.ends_with(".masked_bias");
  return is_mask || source_name.ends_with("rotary_emb.inv_freq") ||
         source_name == stored_name(names({}), "", "head.weight");
}

}  // namespace yardstick::models
