// Refuses requests that the model cannot answer, before anything is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/engine/request.hpp"

namespace yardstick::models {

struct RequestLimits {
  std::int64_t vocabulary = 0;                   ///< V
  std::optional<std::int64_t> longest_sequence;  ///< rows of a learned position table
};

/// @throws Error(kModel) naming the request: no tokens, an id outside the vocabulary, a sequence
/// (prompt and new tokens) longer than the table, score_from outside [1, size], a temperature,
/// top_k or top_p outside its range.
void check_requests(std::span<const Request> requests, const RequestLimits& limits);

}  // namespace yardstick::models
