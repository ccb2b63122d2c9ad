// A decoder in f64, written from the definitions one token and one number at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/decoder/config.hpp"
#include "models/decoder/weights.hpp"
#include "models/engine/request.hpp"

namespace yardstick::test {

using Numbers = std::vector<double>;

/// Logits [V] of each token of a sequence that starts at position 0. Positions enter by RoPE of
/// halves with plan.theta, a learned table, `added` (what is added to the embedding of a position,
/// null for nothing), or not at all.
[[nodiscard]] std::vector<Numbers> plain_logits(
    const models::DecoderConfig& config, const models::Weights& weights,
    const std::vector<TokenId>& tokens,
    const std::function<double(std::int64_t position, std::int64_t element)>& added = nullptr);

}  // namespace yardstick::test
