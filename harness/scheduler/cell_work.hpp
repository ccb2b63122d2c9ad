// One cell on its way through the scheduler: taken from the queue, built, computed part by part,
// scored and written.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/build_cell.hpp"
#include "models/engine/request.hpp"

namespace yardstick::harness {

/// Samples of a cell that are built at once: all of them, or a part of a large cell. They go when
/// the last chunk of them is written.
struct BuiltPart {
  BuiltCell built;
  bool is_begun = false;  ///< the writer's own
};
using BuiltPartPtr = std::shared_ptr<BuiltPart>;

struct CellWork {
  const PlannedCell* cell = nullptr;
  std::int64_t id = 0;           ///< in the store
  std::set<std::string> stored;  ///< samples that an earlier run left
  std::string label;             ///< "tiny-rope/passkey 512", for progress
  double weight = 1;             ///< share of the estimated work

  // Set once by the builder, before any part exists, as is what it makes of `stored`.
  std::vector<std::string> planned;                                  ///< ids of all samples
  std::size_t parts = 1;                                             ///< in which it is built
  enum class Stored { kKept, kStale } stored_state = Stored::kKept;  ///< kStale: drop what is there

  std::atomic<bool> ended{false};  ///< the writer recorded the cell's end: compute no more of it

  std::size_t next_part = 0;  ///< the builder's own; one builder at a time has the cell

  // The writer's own.
  std::size_t samples_left = 0;  ///< planned, not in the store; valid once begun
  bool is_begun = false;
  std::size_t parts_begun = 0;
  std::int64_t tokens = 0;                      // of the parts begun
  std::map<std::string, bool> skipped_by_task;  // ids of skipped samples; false: no position
};
using CellPtr = std::shared_ptr<CellWork>;

/// What a slot hands to the writer: the samples of one cell in a chunk. The parts of a cell come in
/// any order; each sample is in one of them, and a cell without samples to compute has one part.
struct CellPart {
  CellPtr work;
  BuiltPartPtr built;                ///< null for a failed cell
  std::vector<std::size_t> samples;  ///< indices into built->built.samples
  std::vector<Response> responses;   ///< of those, in order
  double seconds = 0;
  std::string device;
  std::string failure;  ///< not empty: the cell failed, nothing else counts
};

}  // namespace yardstick::harness
