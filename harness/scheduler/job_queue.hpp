// Which cell a slot computes next. Cells of one model and one task form a job; a slot stays with
// the model that it has loaded, and takes over cells of others only when nothing else is left.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "harness/scheduler/cell_work.hpp"

namespace yardstick::harness {

/// The cells of one model and one task, longest first.
struct Job {
  std::size_t model = 0;
  std::size_t task = 0;
  std::deque<CellPtr> cells;
};

/// Groups cells into jobs.
[[nodiscard]] std::vector<Job> make_jobs(const std::vector<CellPtr>& cells);

/// Thread-safe.
class JobQueue {
 public:
  JobQueue(std::vector<Job> jobs, std::size_t slots);

  enum class Wait { kNo, kUntilOthersLoaded };
  /// The next cell for `slot`, or null. In order of preference: the rest of its job; another job of
  /// the model that it has; the longest job of a model that no slot has; the longest job; half of
  /// the unstarted cells of another slot's job. With kUntilOthersLoaded it waits while another slot
  /// loads a model, for that one's cells may come back.
  [[nodiscard]] CellPtr take(std::size_t slot, Wait wait);

  /// Brackets the loading of a model by `slot`.
  void begin_load(std::size_t slot);
  void end_load(std::size_t slot);

  /// Slot `index` could not load the model of `cell`: its cells go back to the others. Returns the
  /// cells that no slot is left for.
  [[nodiscard]] std::vector<CellPtr> refuse(std::size_t index, const CellPtr& cell);

  /// Cells that nobody took, once all slots are done.
  [[nodiscard]] std::vector<CellPtr> left_over();

 private:
  struct Slot {
    Job job;
    bool has_model = false;  ///< job.model is (about to be) loaded
    bool is_loading = false;
    std::set<std::size_t> refused;  ///< models that it could not load
  };

  [[nodiscard]] CellPtr take_now(std::size_t index);
  [[nodiscard]] bool start_job(Slot& slot);
  [[nodiscard]] bool take_over(Slot& slot);
  [[nodiscard]] int preference(const Slot& slot, const Job& job) const;

  std::mutex mutex_;
  std::condition_variable loaded_;
  std::vector<Job> waiting_;  // guarded by mutex_, as all below
  std::vector<Slot> slots_;
};

}  // namespace yardstick::harness
