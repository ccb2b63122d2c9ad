// What a plan costs, counted without a model's weights: built, cut into chunks and merged into
// prefix trees as a run would.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/chunks.hpp"
#include "harness/plan/plan.hpp"

namespace yardstick::harness {

/// Ids of the samples that the store has, by the key of their cell.
using StoredSamples = std::map<std::string, std::set<std::string>>;

/// What is left of one cell.
struct CellCount {
  std::int64_t samples = 0;  ///< to be computed
  std::int64_t stored = 0;   ///< computed before
  std::int64_t skipped = 0;
  std::int64_t tokens = 0;  ///< of all requests of `samples`
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

/// Counts what is left of `cells`, each with a key of its own, in parallel in the caller's TBB
/// arena. `shared` is what one slot computes while the caches of shared prefixes fit the engine's
/// limit: else the engine computes a prefix again, as several slots do where they split a job.
[[nodiscard]] PlanCount count_plan(const OpenedSuite& opened, const std::vector<PlannedCell>& cells,
                                   const StoredSamples& stored, const ChunkLimits& limits);

}  // namespace yardstick::harness
