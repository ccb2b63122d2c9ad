// Inside the room: what the LLaMA layout of configuration and tensors means, without positions.
// Shared by Hugging Face's llama and by the project's own models.
#pragma once

#include <string>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/arch/config_reader.hpp"

namespace yardstick::models {

/// An architecture whose configuration and tensors are LLaMA's, whatever it says about positions.
class LlamaLayout : public Architecture {
 public:
  /// The model_type is name().
  bool accepts(const ConfigSource& config) const final;

  DecoderConfig read_config(const ConfigSource& config, const ModelOverrides& overrides,
                            const checkpoint::TensorSource& source) const final;

  /// One slot a tensor, nothing fused.
  std::vector<TensorSlot> slots(const DecoderConfig& config,
                                const checkpoint::TensorSource& source) const final;

  /// Rotary buffers, and the copy of a tied head, whose equality read_config() has checked.
  bool is_recomputed_buffer(std::string_view source_name) const override;

 private:
  /// Reads the family's own keys into `config`, positions before all; sizes, norm, activation and
  /// biases are read already.
  virtual void read_family(ConfigReader& reader, const checkpoint::TensorSource& source,
                           DecoderConfig& config) const = 0;
};

}  // namespace yardstick::models
