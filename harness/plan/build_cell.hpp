// From a planned cell to what is sent to a model: shared by the scheduler, `plan` and `validate`,
// so that all three see the same samples and counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"

namespace yardstick::harness {

/// A cell, or a part of one.
struct BuiltCell {
  std::vector<tasks::Sample> samples;       ///< to be sent, in order
  std::vector<tasks::SampleScore> skipped;  ///< never sent; each with its reason
  std::size_t skipped_by_task = 0;          ///< the first of `skipped`; the others have no position
  std::vector<std::string> planned;         ///< ids of all of them, in the order of aggregation
  std::int64_t tokens = 0;                  ///< of all requests of `samples`
  std::string error;                        ///< why it could not be built, or empty
};

/// Builds a cell's samples; those that the model has no positions for become skipped ones.
/// @throws whatever the task throws; Error(kInternal) if two samples share an id.
[[nodiscard]] BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell);

/// Samples of a large cell that are built at once: what waits to be computed takes room.
inline constexpr std::size_t kPartSamples = 4096;

/// Ids of all samples of a cell that is to be built in parts, or nothing for one that is small or
/// whose task builds whole cells. @throws Error(kInternal) if two samples share an id.
[[nodiscard]] std::optional<std::vector<std::string>> ids_of_parts(const OpenedSuite& opened,
                                                                   const PlannedCell& cell);

[[nodiscard]] inline std::size_t count_parts(std::size_t samples) {
  return (samples + kPartSamples - 1) / kPartSamples;
}

/// As build_cell(), of one part of count_parts().
[[nodiscard]] BuiltCell build_part(const OpenedSuite& opened, const PlannedCell& cell,
                                   std::size_t part);

/// Whether the samples `stored` of a cell are all planned now; if not, they are another plan's, and
/// none of them counts.
[[nodiscard]] bool are_planned(std::span<const std::string> planned,
                               const std::set<std::string>& stored);

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
