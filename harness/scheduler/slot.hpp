// One device slot: a thread that loads a model, computes the cells that the queue gives it chunk by
// chunk, and has the next cell built meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>

#include <tbb/task_arena.h>

#include "harness/scheduler/job_queue.hpp"
#include "harness/scheduler/tracker.hpp"
#include "harness/scheduler/writer.hpp"

namespace yardstick::harness {

/// The bound of a chunk: what one transaction holds, and what an interrupt waits for.
struct ChunkLimits {
  std::int64_t samples = 64;
  std::int64_t tokens = 16384;  ///< a chunk ends with the sample that reaches it
};

class Slot {
 public:
  struct Parts {
    std::size_t index = 0;
    DeviceSlot device;
    ChunkLimits limits;
    models::Sharing sharing = models::Sharing::kOn;
    const OpenedSuite& opened;
    JobQueue& queue;
    Writer& writer;
    Tracker& tracker;
    tbb::task_arena& arena;
    const std::atomic<bool>* stop = nullptr;  ///< set to end after the chunk in flight
  };
  explicit Slot(const Parts& parts) : parts_(parts) {}

  /// Runs until the queue is empty or a stop is asked for. Throws nothing: a failure is a cell's.
  void run();

 private:
  struct Next {
    CellPtr work;
    std::future<BuiltCell> built;
  };
  [[nodiscard]] Next take(JobQueue::Wait wait);
  [[nodiscard]] bool load(const CellPtr& work);
  void compute(const CellPtr& work, BuiltCell built);
  [[nodiscard]] Chunk compute_chunk(const CellPtr& work, std::vector<std::size_t> samples);
  void fail(const CellPtr& work, const std::string& message);
  [[nodiscard]] bool is_stopped() const;

  Parts parts_;
  std::unique_ptr<models::Engine> engine_;
  const OpenedModel* loaded_ = nullptr;
};

/// Groups the samples of `built` that are not in `stored` into chunks, in order.
[[nodiscard]] std::vector<std::vector<std::size_t>> split_chunks(
    const BuiltCell& built, const std::set<std::string>& stored, const ChunkLimits& limits);

}  // namespace yardstick::harness
