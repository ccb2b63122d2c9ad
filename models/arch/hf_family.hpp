// Inside the room: what every architecture of the Hugging Face transformers library shares: its
// model_type, its class, bookkeeping keys, tied heads and a table of tensor names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/arch/config_reader.hpp"
#include "models/arch/hf_fields.hpp"
#include "models/arch/tensor_rules.hpp"

namespace yardstick::models {

class HfFamily : public Architecture {
 public:
  /// @param model_type also the architecture's name
  /// @param class_name the language model's class, "LlamaForCausalLM"; others have other tensors
  HfFamily(std::string_view model_type, std::string_view class_name)
      : model_type_(model_type), class_name_(class_name) {}

  std::string_view name() const final { return model_type_; }
  std::string description() const override { return "Hugging Face " + std::string(class_name_); }
  bool accepts(const ConfigSource& config) const override;
  DecoderConfig read_config(const ConfigSource& config, const ModelOverrides& overrides,
                            const checkpoint::TensorSource& source) const final;
  std::vector<TensorSlot> slots(const DecoderConfig& config,
                                const checkpoint::TensorSource& source) const final;

  /// Rotary buffers, causal masks, and the copy of a tied head, whose equality read_config() has
  /// checked.
  bool is_recomputed_buffer(std::string_view source_name) const override;

 protected:
  /// Reads every key of the family into `config`; bookkeeping and the tied head are read by the
  /// caller.
  virtual void read(ConfigReader& reader, const checkpoint::TensorSource& source,
                    DecoderConfig& config) const = 0;

  [[nodiscard]] virtual TensorNames names(const DecoderConfig& config) const;

  /// tie_word_embeddings where the configuration has no such key.
  [[nodiscard]] virtual bool is_tied_by_default() const { return false; }

 private:
  void check_class(ConfigReader& reader) const;
  void read_head(ConfigReader& reader, const ModelOverrides& overrides,
                 const checkpoint::TensorSource& source, DecoderConfig& config) const;

  std::string_view model_type_;
  std::string_view class_name_;
};

}  // namespace yardstick::models
