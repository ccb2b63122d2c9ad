// The one thread that writes: takes parts of cells from a bounded queue, scores them on the CPU
// pool and commits them. When the store itself fails it stops the run and keeps the error for
// run_suite.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tbb/task_arena.h>

#include "harness/scheduler/cell_work.hpp"
#include "harness/scheduler/tracker.hpp"
#include "harness/store/store.hpp"

namespace yardstick::harness {

class Writer {
 public:
  struct Parts {
    const OpenedSuite& opened;
    Store& store;
    std::int64_t run_id = 0;
    tbb::task_arena& arena;
    Tracker& tracker;
    std::size_t capacity = 4;  ///< parts that may wait
  };
  explicit Writer(const Parts& parts);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  /// Blocks while the queue is full. From any thread.
  void push(CellPart part);
  /// Writes what is queued, ends the thread. @throws the error that stopped it, if any.
  void finish();
  /// True once the store has failed: computing on is of no use.
  [[nodiscard]] bool has_failed() const { return failed_.load(); }

 private:
  struct Queue;
  void work();
  void write(const CellPart& part);
  void write_scores(const CellPart& part);
  void begin(CellWork& work);
  [[nodiscard]] std::vector<tasks::SampleScore> begin_part(CellWork& work, BuiltPart& part,
                                                           const std::string& device);
  void end(CellWork& work, const CellEnd& end);

  Parts parts_;
  std::unique_ptr<Queue> queue_;
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace yardstick::harness
