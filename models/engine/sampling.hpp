// The random choice of one new token from its logits. Free of torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/engine/request.hpp"

namespace yardstick::models {

/// The `step`-th new token of a request that samples.
struct Draw {
  Sampling sampling;
  std::int64_t step = 0;

  bool operator==(const Draw&) const = default;
};

/// Nothing for a greedy request, which needs no draw.
[[nodiscard]] std::optional<Draw> draw_of(const Sampling& sampling, std::int64_t step);

/// The id drawn from finite logits [ids that may be generated]: temperature, then top_k, then
/// top_p, in the order of Hugging Face's generate() (top-p: Holtzman et al., arXiv 1904.09751). A
/// pure function of its arguments; probabilities and their sums in f64.
[[nodiscard]] TokenId draw_token(std::span<const float> logits, const Draw& draw);

}  // namespace yardstick::models
