// Inside the room: what the LLaMA layout of configuration and tensors means, without positions.
// Shared by Hugging Face's llama and by the project's own models.
#pragma once

#include <string>
#include <vector>

#include "models/arch/architecture.hpp"
#include "models/arch/config_reader.hpp"

namespace yardstick::models {

/// Reads sizes, norm, activation and biases; also fills the heads of config.position with their
/// sources.
[[nodiscard]] DecoderConfig read_llama_body(ConfigReader& reader);

/// Head and embedding by tie_word_embeddings and what the checkpoint has.
void read_llama_head(ConfigReader& reader, const ModelOverrides& overrides,
                     const checkpoint::TensorSource& source, DecoderConfig& config);

/// One slot a tensor, nothing fused.
[[nodiscard]] std::vector<TensorSlot> llama_slots(const DecoderConfig& config);

/// Rotary buffers, and the copy of a tied head, whose equality read_llama_head() has checked.
[[nodiscard]] bool is_llama_buffer(std::string_view source_name);

/// Bookkeeping keys of the transformers library, which change no number of an evaluation.
void ignore_hf_bookkeeping(ConfigReader& reader);

}  // namespace yardstick::models
