// One cell on its way through the scheduler: taken from the queue, built, computed chunk by chunk,
// scored and written.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/build_cell.hpp"
#include "models/engine/request.hpp"

namespace yardstick::harness {

struct CellWork {
  const PlannedCell* cell = nullptr;
  std::int64_t id = 0;           ///< in the store
  std::set<std::string> stored;  ///< samples that an earlier run left
  std::string label;             ///< "tiny-rope/passkey 512", for progress
  double weight = 1;             ///< share of the estimated work

  BuiltCell built;                     ///< set once by the builder, before any chunk exists
  std::atomic<bool> abandoned{false};  ///< the writer recorded a failure: compute no more of it
};
using CellPtr = std::shared_ptr<CellWork>;

/// What a slot hands to the writer, in order within a cell.
struct Chunk {
  CellPtr work;
  /// Samples that were computed (indices into built.samples), with their responses in order.
  std::vector<std::size_t> samples;
  std::vector<Response> responses;
  std::vector<tasks::SampleScore> skipped;  ///< stored with this chunk
  double seconds = 0;
  std::string device;
  enum class Place { kFirst, kMiddle, kLast, kOnly } place = Place::kMiddle;
  enum class Stored { kKept, kStale } stored = Stored::kKept;  ///< kStale: drop what was stored
  std::string failure;  ///< not empty: the cell failed, nothing else counts
};

}  // namespace yardstick::harness
