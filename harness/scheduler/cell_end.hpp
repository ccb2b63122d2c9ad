// Scores of a part of a cell and the end of a cell: pure functions between responses and the store.
#pragma once

#include <string>
#include <vector>

#include "harness/scheduler/cell_work.hpp"
#include "harness/store/records.hpp"

namespace yardstick::harness {

/// Scores of a part's samples, in order, computed in parallel in the caller's TBB arena. A sample
/// with a non-finite response, or whose score holds a number that is not finite, becomes a
/// kNonFinite one: it is counted and never averaged.
[[nodiscard]] std::vector<tasks::SampleScore> score_part(const tasks::Task& task,
                                                         const TextCodec& codec,
                                                         const CellPart& part);

/// The end of a cell from all its samples: metrics over the good ones. Without a good one the cell
/// failed (numbers that are not finite) or is skipped (nothing could be asked), and says why.
[[nodiscard]] CellEnd make_end(const tasks::Task& task,
                               const std::vector<tasks::SampleScore>& scores, std::uint64_t seed);

}  // namespace yardstick::harness
