// Logits and hidden states that another implementation computed, read from its files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/checkpoint/tensor.hpp"
#include "models/decoder/config.hpp"
#include "models/reference/token_lists.hpp"

namespace yardstick::models {

struct ReferenceFiles {
  /// Safetensors: `tokens` (or `input_ids`) [N], `logits` [N, V], and perhaps `hidden_states`
  /// [L + 1, N, E] or `hidden_states.0` .. `hidden_states.L`, each [N, E]. Or an .npy of the
  /// logits alone. A leading 1 (a batch of one) of a tensor of one state, tokens or logits is
  /// dropped.
  std::filesystem::path numbers;
  std::optional<std::filesystem::path> tokens;  ///< read_token_lists(), where `numbers` has none
  std::optional<std::filesystem::path> hidden_states;  ///< .npy [L + 1, N, E]
};

/// N tokens of one or more sequences, each computed by itself, their rows below each other.
struct Reference {
  TokenLists sequences;
  checkpoint::TensorView logits;               ///< [N, V]
  std::vector<checkpoint::TensorView> states;  ///< [N, E] each, as Engine::hidden_states() numbers
                                               ///< them; empty if none are stored
  std::vector<std::shared_ptr<const void>> files;  ///< what the views lie in
};

/// @throws Error(kData) naming file and tensor: missing, unknown, of another shape or dtype;
/// Error(kConfig) for tokens or states that are given twice, or not at all
[[nodiscard]] Reference read_reference(const ReferenceFiles& files);

/// @throws Error(kData) for rows, columns, states or ids that the model does not have
void check_fits(const Reference& reference, const DecoderConfig& config);

/// Rows [first, first + count) of a stored matrix, f32.
/// @throws Error(kData) for a number that is not finite
[[nodiscard]] std::vector<float> stored_rows(const checkpoint::TensorView& matrix,
                                             std::int64_t first, std::int64_t count);

}  // namespace yardstick::models
