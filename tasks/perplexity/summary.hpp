// From losses to figures: position buckets of one window, and a cell's perplexity with intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Losses by token index in the window, in the buckets [1,1], [2,3], [4,7], [8,15], ...
/// @param nll  nats of the tokens at indices first_index, first_index + 1, ...; first_index >= 1
[[nodiscard]] std::vector<PositionLoss> bucket_losses(std::span<const double> nll,
                                                      std::int64_t first_index);

/// perplexity = exp(sum nll / sum tokens), nll_per_token, bits_per_byte = sum nll / ln 2 / sum
/// bytes (where the text is known), tokens_scored, tokens_skipped. Intervals: bootstrap over
/// documents; over windows where there is one document. Samples that are not kOk add to
/// tokens_skipped only.
[[nodiscard]] std::vector<MetricValue> summarize_losses(std::span<const SampleScore> scores,
                                                        std::uint64_t seed);

}  // namespace yardstick::tasks
