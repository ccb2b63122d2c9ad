// From a planned cell to what is sent to a model: shared by the scheduler, `plan` and `validate`,
// so that all three see the same samples and counts.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"

namespace yardstick::harness {

struct BuiltCell {
  std::vector<tasks::Sample> samples;       ///< to be sent, in order
  std::vector<tasks::SampleScore> skipped;  ///< never sent; each with its reason
  std::vector<std::string> planned;         ///< ids of all of them, in the order of aggregation
  std::int64_t tokens = 0;                  ///< of all requests of `samples`
  std::string error;                        ///< why it could not be built, or empty
};

/// Builds a cell's samples; those that the model has no positions for become skipped ones.
/// @throws whatever the task throws; Error(kInternal) if two samples share an id.
[[nodiscard]] BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell);

/// Whether the samples `stored` of a cell are all planned now; if not, they are another plan's, and
/// none of them counts.
[[nodiscard]] bool are_planned(const BuiltCell& built, const std::set<std::string>& stored);

/// Indices of the samples to be sent that are not in `stored`, in order.
[[nodiscard]] std::vector<std::size_t> samples_left(const BuiltCell& built,
                                                    const std::set<std::string>& stored);

[[nodiscard]] std::int64_t request_tokens(const tasks::Sample& sample);

/// Gives up to `most` cells that shall share work with those that are built already.
using MoreCells = std::function<std::vector<const PlannedCell*>(std::size_t most)>;

/// Builds `first`, then, in parallel in the caller's TBB arena, as many more cells as stay within
/// 32M tokens if none has more than the first: give the longest first. What a cell throws becomes
/// its `error`.
[[nodiscard]] std::vector<BuiltCell> build_together(const OpenedSuite& opened,
                                                    const PlannedCell& first,
                                                    const MoreCells& more);

}  // namespace yardstick::harness
