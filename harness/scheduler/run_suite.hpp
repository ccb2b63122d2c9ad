// One run of a suite from plan to finished cells: what `yardstick run` does between reading the
// suite and writing the report.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"
#include "harness/scheduler/slot.hpp"
#include "harness/scheduler/tracker.hpp"
#include "harness/store/store.hpp"

namespace yardstick::harness {

struct RunSettings {
  std::filesystem::path database;
  RunRecord run;
  Store::Earlier earlier = Store::Earlier::kKeep;
  EarlierCells earlier_cells = EarlierCells::kBehind;  ///< which change is a warning
  ChunkLimits chunk;
  models::Sharing sharing = models::Sharing::kOn;
  int workers = 1;  ///< threads that build and score, less those that slots compute with meanwhile
  const std::atomic<bool>* stop = nullptr;  ///< set it to end after the chunks in flight
  Tracker::OnProgress on_progress;          ///< called from several threads, one at a time
  Warn warn;
};

struct RunResult {
  CellCounts computed;                     ///< cells that this run ended
  std::int64_t earlier = 0;                ///< cells that the store had
  std::int64_t left = 0;                   ///< cells that an interrupt left for the next run
  std::int64_t all_failed = 0;             ///< cells of the run that failed, now or before
  std::int64_t all_ok = 0;                 ///< cells of the run that have results
  ProgressState progress;                  ///< the last state
  std::optional<models::Profile> profile;  ///< of the engines that measure one
};

/// Runs what the store does not have. The store equals that of an uninterrupted run however often
/// a run was stopped or killed before, with any number of slots and workers.
/// @throws Error(kStore) if the database is refused, locked or cannot be written; a cell's failure
/// is recorded in the store instead.
[[nodiscard]] RunResult run_suite(const OpenedSuite& opened, const std::vector<PlannedCell>& plan,
                                  const RunSettings& settings);

}  // namespace yardstick::harness
