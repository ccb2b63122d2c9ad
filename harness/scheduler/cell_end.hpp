// Scores of a chunk and the end of a cell: pure functions between responses and the store.
#pragma once

#include <string>
#include <vector>

#include "harness/scheduler/cell_work.hpp"
#include "harness/store/records.hpp"

namespace yardstick::harness {

/// Scores of a chunk's samples, in order, computed in parallel in the caller's TBB arena; then its
/// skipped ones. A sample with a non-finite response, or whose score holds a number that is not
/// finite, becomes a kNonFinite one: it is counted and never averaged.
[[nodiscard]] std::vector<tasks::SampleScore> score_chunk(const tasks::Task& task,
                                                          const TextCodec& codec,
                                                          const Chunk& chunk);

/// The end of a cell from all its samples: metrics over the good ones. Without a good one the cell
/// failed (numbers that are not finite) or is skipped (nothing could be asked), and says why.
[[nodiscard]] CellEnd make_end(const tasks::Task& task,
                               const std::vector<tasks::SampleScore>& scores, std::uint64_t seed);

}  // namespace yardstick::harness
