// One device slot: a thread that loads a model, computes chunks of the bundles that the queue
// offers it, and has the next bundle built meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tbb/task_arena.h>

#include "harness/scheduler/job_queue.hpp"
#include "harness/scheduler/processors.hpp"
#include "harness/scheduler/tracker.hpp"
#include "harness/scheduler/writer.hpp"

namespace yardstick::harness {

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
    Processors& processors;
    const std::atomic<bool>* stop = nullptr;  ///< set to end after the chunk in flight
  };
  explicit Slot(const Parts& parts) : parts_(parts) {}

  /// Runs until the queue is empty or a stop is asked for. Throws nothing: a failure is a cell's.
  void run();

 private:
  [[nodiscard]] BundlePtr begin();
  void build(const BundlePtr& bundle);
  [[nodiscard]] bool load(std::size_t model);
  void drop_engine();
  void refuse(std::size_t model);
  void end_idle_cells(Bundle& bundle);
  void compute(Bundle& bundle);
  void compute_chunk(const Bundle& bundle, const PlannedChunk& chunk);
  void compute_alone(CellPart part);
  void respond(std::span<CellPart> parts, std::int64_t tokens);
  void hand_over(CellPart part);
  void fail(const CellPtr& work, const std::string& message);
  [[nodiscard]] bool is_stopped() const;

  Parts parts_;
  std::unique_ptr<models::Engine> engine_;
  const OpenedModel* loaded_ = nullptr;
  std::string load_error_;
};

}  // namespace yardstick::harness
