// What a slot computes next. Cells of one model and one task form a job; the cells of a job are
// built as a bundle by one slot, and every slot may take chunks of it. A slot stays with the model
// that it has loaded as long as there is work for it.
#pragma once

#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "harness/scheduler/bundle.hpp"

namespace yardstick::harness {

/// The cells of one model and one task, longest first.
struct Job {
  std::size_t model = 0;
  std::size_t task = 0;
  std::deque<CellPtr> cells;
};

/// Groups cells into jobs.
[[nodiscard]] std::vector<Job> make_jobs(const std::vector<CellPtr>& cells);

/// Thread-safe, and nothing waits: a chunk that no slot has taken is in a bundle that take() offers
/// to every slot, from the moment that the first cell leaves its job. So a slot that is offered
/// nothing may end.
class JobQueue {
 public:
  JobQueue(std::vector<Job> jobs, std::size_t slots);

  /// A bundle for `slot` to build, with its first cell, or null. In order of preference: the rest
  /// of its job; another job of the model that it has; the longest job of a model that no slot has;
  /// the longest job; half of the cells of another slot's job that are in no bundle yet.
  [[nodiscard]] BundlePtr begin(std::size_t slot);

  /// Up to `most` more cells of the same job. Called once for each begun bundle, before `slot` asks
  /// for anything else: until then no other slot takes cells of the job over.
  [[nodiscard]] std::vector<CellPtr> extend(std::size_t slot, std::size_t most);

  /// In place of extend(), for a bundle that is a part of its cell: the cell comes next again. Null
  /// behind its last part.
  void put_back(std::size_t slot, CellPtr cell);

  struct Offer {
    BundlePtr bundle;  ///< null if there is no work left that `slot` could do
    enum class Role { kBuild, kHelp } role = Role::kBuild;
  };
  /// What begin() gives, or else a bundle that has chunks left or is being built by another slot,
  /// one of the model that `slot` has if there is any.
  [[nodiscard]] Offer take(std::size_t slot);

  /// Slot `index` could not load the model of a bundle that is built; it is offered no more work of
  /// that model. Returns the cells with samples that no slot is left for; they are taken.
  [[nodiscard]] std::vector<CellPtr> refuse(std::size_t index, std::size_t model);

 private:
  struct Slot {
    Job job;                        // its cells that are in no bundle
    bool has_model = false;         // job.model is (about to be) loaded
    bool is_extending = false;      // between begin() and extend()
    std::set<std::size_t> refused;  // models that it could not load
  };

  [[nodiscard]] BundlePtr begin_now(Slot& slot);
  [[nodiscard]] BundlePtr find_open(Slot& slot);
  [[nodiscard]] bool start_job(Slot& slot);
  [[nodiscard]] bool take_over(Slot& slot);
  [[nodiscard]] int preference(const Slot& slot, const Job& job) const;

  std::mutex mutex_;
  std::vector<Job> waiting_;  // guarded by mutex_, as all below
  std::vector<Slot> slots_;
  std::vector<BundlePtr> bundles_;  // with chunks left, and some that were finished since
};

}  // namespace yardstick::harness
