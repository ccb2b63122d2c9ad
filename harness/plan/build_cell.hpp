// From a planned cell to what is sent to a model: shared by the scheduler, `run --dry-run` and
// `validate`, so that all three see the same samples and counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"

namespace yardstick::harness {

struct BuiltCell {
  std::vector<tasks::Sample> samples;       ///< to be sent, in order
  std::vector<tasks::SampleScore> skipped;  ///< never sent; each with its reason
  std::vector<std::string> planned;         ///< ids of all of them, in the order of aggregation
  std::int64_t tokens = 0;                  ///< of all requests of `samples`
};

/// Builds a cell's samples; those that the model has no positions for become skipped ones.
/// @throws whatever the task throws; Error(kInternal) if two samples share an id.
[[nodiscard]] BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell);

[[nodiscard]] std::int64_t request_tokens(const tasks::Sample& sample);

/// What one cell would cost, for `--dry-run`.
struct CellCount {
  std::int64_t samples = 0;
  std::int64_t skipped = 0;
  std::int64_t tokens = 0;
  std::string error;  ///< why it cannot be built, or empty
};

/// Builds every cell of `cells` on `workers` threads and counts. Keeps one cell a thread.
[[nodiscard]] std::vector<CellCount> count_cells(const OpenedSuite& opened,
                                                 const std::vector<PlannedCell>& cells,
                                                 int workers);

}  // namespace yardstick::harness
