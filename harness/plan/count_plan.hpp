// What a plan costs, counted without a model's weights: built, cut into chunks and merged into
// prefix trees as a run would.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/chunks.hpp"
#include "harness/plan/plan.hpp"

namespace yardstick::harness {

/// What one cell would cost.
struct CellCount {
  std::int64_t samples = 0;
  std::int64_t skipped = 0;
  std::int64_t tokens = 0;  ///< of all its requests
  std::string error;        ///< why it cannot be built, or empty
};

/// Tokens of requests, generated ones not counted.
struct TokenCount {
  std::int64_t asked = 0;   ///< of all requests
  std::int64_t alone = 0;   ///< computed without sharing: a last token may be needed for nothing
  std::int64_t shared = 0;  ///< computed with sharing

  TokenCount& operator+=(const TokenCount& other);
  bool operator==(const TokenCount&) const = default;
};

/// The cells of one model and one task.
struct JobCount {
  std::size_t model = 0;
  std::size_t task = 0;
  TokenCount tokens;
};

struct PlanCount {
  std::vector<CellCount> cells;  ///< as the cells that were given
  std::vector<JobCount> jobs;    ///< in the order of their first cells
};

/// Counts `cells`, in parallel in the caller's TBB arena.
[[nodiscard]] PlanCount count_plan(const OpenedSuite& opened, const std::vector<PlannedCell>& cells,
                                   const ChunkLimits& limits);

}  // namespace yardstick::harness
