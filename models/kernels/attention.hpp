// Causal attention of the CPU, f32, in tiles with an online softmax (arXiv 1805.02867; in tiles
// arXiv 2205.14135). Free of torch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/kernels/key_value_pages.hpp"
#include "models/kernels/rows.hpp"
#include "models/kernels/scoring.hpp"

namespace yardstick::models::kernels {

inline constexpr std::size_t kMostQueryVersions = 3;  ///< that a reach asks for

/// The last queries.count tokens of one sequence ask about its tokens up to themselves.
struct SequenceView {
  /// [count, H, D] rotated, by the versions that the reach asks for.
  std::array<ConstRows, kMostQueryVersions> queries;
  std::vector<float> query_scales;  ///< [count] factors on the queries, or empty
  Rows out;                         ///< [count, H, D]; may be queries[0]
  std::int64_t tokens = 0;          ///< of the sequence, the queries' own included
  std::vector<KeyValuePage> pages;  ///< ceil(tokens / 64), from the sequence's start on
};

/// softmax(scores) v of every sequence, over the keys that each query sees. A query's result
/// depends on its own sequence up to itself, to the last bit: keys are taken page by page, wherever
/// the sequence was cut into passes and whatever else is in the batch. Pages that no query of a
/// task sees are not read. Threads share the work.
void attend(std::span<const SequenceView> sequences, const HeadShape& shape,
            const Scoring& scoring);

}  // namespace yardstick::models::kernels
