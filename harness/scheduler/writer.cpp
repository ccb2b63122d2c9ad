#include "harness/scheduler/writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <tbb/concurrent_queue.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"
#include "harness/plan/unchanged.hpp"
#include "harness/scheduler/cell_end.hpp"

namespace yardstick::harness {
struct Writer::Queue {
  tbb::concurrent_bounded_queue<std::optional<CellPart>> parts;
};

Writer::Writer(const Parts& parts) : parts_(parts), queue_(std::make_unique<Queue>()) {
  queue_->parts.set_capacity(static_cast<std::ptrdiff_t>(parts.capacity));
  thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
  if (!thread_.joinable()) return;
  queue_->parts.push(std::nullopt);
  thread_.join();
}

void Writer::push(CellPart part) { queue_->parts.push(std::move(part)); }

void Writer::finish() {
  queue_->parts.push(std::nullopt);
  thread_.join();
  if (error_) std::rethrow_exception(error_);
}

void Writer::work() {
  std::optional<CellPart> part;
  while (queue_->parts.pop(part), part.has_value()) {
    if (failed_) continue;  // empty the queue, so that nobody waits for room in it
    try {
      write(*part);
    } catch (...) {
      error_ = std::current_exception();
      failed_ = true;
    }
  }
}

void Writer::write(const CellPart& part) {
  CellWork& work = *part.work;
  if (work.ended) return;
  if (!part.failure.empty()) return end(work, {CellStatus::kFailed, part.failure, {}});
  try {
    write_scores(part);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kStore) throw;
    end(work, {CellStatus::kFailed, error.what(), {}});
  } catch (const std::exception& error) {
    end(work, {CellStatus::kFailed, error.what(), {}});
  }
}

/// Answers the skipped samples that the store does not have.
std::vector<tasks::SampleScore> Writer::begin(CellWork& work, const std::string& device) {
  const BuiltCell& built = work.built;
  if (work.stored_state == CellWork::Stored::kStale) parts_.store.clear_samples(work.id);
  parts_.store.set_facts(work.id,
                         {static_cast<std::int64_t>(built.planned.size()), built.tokens, device});
  std::vector<tasks::SampleScore> skipped;
  for (const tasks::SampleScore& score : built.skipped)
    if (!work.stored.contains(score.sample_id)) skipped.push_back(score);
  work.samples_left = built.planned.size() - work.stored.size();
  const auto planned = static_cast<double>(std::max<std::size_t>(1, built.planned.size()));
  const auto to_compute = static_cast<double>(work.samples_left - skipped.size());
  parts_.tracker.computed(0, work.weight * (planned - to_compute) / planned);
  work.is_begun = true;
  return skipped;
}

void Writer::write_scores(const CellPart& part) {
  CellWork& work = *part.work;
  const tasks::Task& task = *parts_.opened.tasks[work.cell->task];
  const TextCodec& codec = parts_.opened.models[work.cell->model]->codec();
  ChunkRecord record;
  record.seconds = part.seconds;
  record.scores = parts_.arena.execute([&] { return score_part(task, codec, part); });
  check_files(parts_.opened, *work.cell);
  if (!work.is_begun) {
    const std::vector<tasks::SampleScore> skipped = begin(work, part.device);
    record.scores.insert(record.scores.end(), skipped.begin(), skipped.end());
  }
  check(record.scores.size() <= work.samples_left, "a sample is computed once");
  work.samples_left -= record.scores.size();
  if (work.samples_left > 0) return parts_.store.add_chunk(work.id, record);
  const CellEnd end =
      parts_.store.add_last_chunk(work.id, record, work.built.planned, parts_.run_id,
                                  [&](const std::vector<tasks::SampleScore>& scores) {
                                    return parts_.arena.execute([&] {
                                      return make_end(task, scores, parts_.opened.suite.seed);
                                    });
                                  });
  work.ended = true;
  parts_.tracker.cell_ended(end.status);
}

void Writer::end(CellWork& work, const CellEnd& end) {
  work.ended = true;
  parts_.store.end_cell(work.id, end, parts_.run_id);
  parts_.tracker.cell_ended(end.status);
}

}  // namespace yardstick::harness
