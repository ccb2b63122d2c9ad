#include "harness/scheduler/writer.hpp"

#include <optional>
#include <utility>

#include <tbb/concurrent_queue.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"
#include "harness/scheduler/cell_end.hpp"

namespace yardstick::harness {
namespace {

bool is_first(const Chunk& chunk) {
  return chunk.place == Chunk::Place::kFirst || chunk.place == Chunk::Place::kOnly;
}

bool is_last(const Chunk& chunk) {
  return chunk.place == Chunk::Place::kLast || chunk.place == Chunk::Place::kOnly;
}

}  // namespace

struct Writer::Queue {
  tbb::concurrent_bounded_queue<std::optional<Chunk>> chunks;
};

Writer::Writer(const Parts& parts) : parts_(parts), queue_(std::make_unique<Queue>()) {
  queue_->chunks.set_capacity(static_cast<std::ptrdiff_t>(parts.capacity));
  thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
  if (!thread_.joinable()) return;
  queue_->chunks.push(std::nullopt);
  thread_.join();
}

void Writer::push(Chunk chunk) { queue_->chunks.push(std::move(chunk)); }

void Writer::finish() {
  queue_->chunks.push(std::nullopt);
  thread_.join();
  if (error_) std::rethrow_exception(error_);
}

void Writer::work() {
  std::optional<Chunk> chunk;
  while (queue_->chunks.pop(chunk), chunk.has_value()) {
    if (failed_) continue;  // empty the queue, so that nobody waits for room in it
    try {
      write(*chunk);
    } catch (...) {
      error_ = std::current_exception();
      failed_ = true;
    }
  }
}

void Writer::write(const Chunk& chunk) {
  const CellWork& work = *chunk.work;
  if (work.abandoned) return;
  if (!chunk.failure.empty()) return end(chunk, {CellStatus::kFailed, chunk.failure, {}});
  try {
    write_scores(chunk);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kStore) throw;
    end(chunk, {CellStatus::kFailed, error.what(), {}});
  } catch (const std::exception& error) {
    end(chunk, {CellStatus::kFailed, error.what(), {}});
  }
}

void Writer::write_scores(const Chunk& chunk) {
  const CellWork& work = *chunk.work;
  const tasks::Task& task = *parts_.opened.tasks[work.cell->task];
  const TextCodec& codec = parts_.opened.models[work.cell->model]->codec();
  ChunkRecord record;
  record.seconds = chunk.seconds;
  record.scores = parts_.arena.execute([&] { return score_chunk(task, codec, chunk); });
  if (is_first(chunk)) {
    if (chunk.stored == Chunk::Stored::kStale) parts_.store.clear_samples(work.id);
    parts_.store.set_facts(work.id, {static_cast<std::int64_t>(work.built.planned.size()),
                                     work.built.tokens, chunk.device});
  }
  if (!is_last(chunk)) {
    parts_.store.add_chunk(work.id, record);
  } else {
    const CellEnd end =
        parts_.store.add_last_chunk(work.id, record, work.built.planned, parts_.run_id,
                                    [&](const std::vector<tasks::SampleScore>& scores) {
                                      return parts_.arena.execute([&] {
                                        return make_end(task, scores, parts_.opened.suite.seed);
                                      });
                                    });
    parts_.tracker.cell_ended(end.status);
  }
  const auto planned = static_cast<double>(std::max<std::size_t>(1, work.built.planned.size()));
  parts_.tracker.add_weight(work.weight * static_cast<double>(record.scores.size()) / planned);
}

void Writer::end(const Chunk& chunk, const CellEnd& end) {
  chunk.work->abandoned = true;
  parts_.store.end_cell(chunk.work->id, end, parts_.run_id);
  parts_.tracker.cell_ended(end.status);
}

}  // namespace yardstick::harness
