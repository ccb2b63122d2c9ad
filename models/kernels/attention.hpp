// Causal attention of the CPU, f32, in tiles with an online softmax (arXiv 1805.02867; in tiles
// arXiv 2205.14135). Free of torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/kernels/key_value_pages.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

/// The last queries.count tokens of one sequence ask about all its tokens up to themselves.
struct SequenceView {
  ConstRows queries;                ///< [count, H, D] rotated
  Rows out;                         ///< [count, H, D]; may be the queries
  std::int64_t tokens = 0;          ///< of the sequence, the queries' own included
  std::vector<KeyValuePage> pages;  ///< ceil(tokens / 64), from the sequence's start on
};

/// softmax(q k^T / sqrt(D) - slope x distance) v of every sequence. `slopes` [H], or null without a
/// bias (ALiBi, arXiv 2108.12409, sec. 3; distances are exact below 2^24). A query's result depends
/// on its own sequence up to itself, to the last bit: keys are taken page by page, wherever the
/// sequence was cut into passes and whatever else is in the batch. Threads share the work.
void attend(std::span<const SequenceView> sequences, const HeadShape& shape, const float* slopes);

}  // namespace yardstick::models::kernels
