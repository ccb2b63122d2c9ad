// Counts what the threads of a run have done and passes it on for display.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/progress.hpp"
#include "harness/scheduler/cell_work.hpp"
#include "models/profile.hpp"

namespace yardstick::harness {

/// How many cells of a run ended how.
struct CellCounts {
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;

  bool operator==(const CellCounts&) const = default;
};

/// Thread-safe; the callback runs under its lock, one call at a time.
class Tracker {
 public:
  using OnProgress = std::function<void(const ProgressState& state)>;

  Tracker(std::int64_t total_cells, double total_weight, OnProgress on_progress);

  void slot_works_on(std::size_t slot, const std::string& label);
  void slot_is_idle(std::size_t slot);
  /// `tokens` were computed, which are `weight` of the estimated work.
  void computed(std::int64_t tokens, double weight);
  /// Work that was reported and failed: it will be done again, or never. Shown with the next
  /// change.
  void take_back(double weight) noexcept;
  void cell_ended(CellStatus status);
  /// What an engine that is done has measured.
  void add_profile(const models::Profile& profile);
  /// Cells that need no work.
  void cells_were_done(std::int64_t count);

  [[nodiscard]] ProgressState state();
  [[nodiscard]] CellCounts counts();
  [[nodiscard]] std::optional<models::Profile> profile();

 private:
  void publish();  // mutex_ is held

  std::mutex mutex_;
  ProgressState state_;  // guarded by mutex_, as all below
  CellCounts counts_;
  double total_weight_;
  double done_weight_ = 0;
  std::map<std::size_t, std::string> current_;  // by slot
  std::optional<models::Profile> profile_;
  OnProgress on_progress_;
};

}  // namespace yardstick::harness
