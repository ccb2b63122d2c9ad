#include "harness/scheduler/writer.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"
#include "core/progress.hpp"
#include "harness/plan/unchanged.hpp"
#include "harness/scheduler/cell_end.hpp"

namespace yardstick::harness {
namespace {

/// What is added up is that of a cell that was built as a whole: the samples that were asked, then
/// those that the task, then those that the model's positions left out.
std::vector<std::string> aggregation_order(const CellWork& work) {
  if (work.skipped_by_task.empty()) return work.planned;
  std::vector<std::string> asked;
  std::vector<std::string> by_task;
  std::vector<std::string> beyond;
  for (const std::string& id : work.planned) {
    const auto skipped = work.skipped_by_task.find(id);
    if (skipped == work.skipped_by_task.end()) {
      asked.push_back(id);
    } else {
      (skipped->second ? by_task : beyond).push_back(id);
    }
  }
  asked.insert(asked.end(), by_task.begin(), by_task.end());
  asked.insert(asked.end(), beyond.begin(), beyond.end());
  return asked;
}

/// Shows what the writer does, with the time that it takes, while it lives: the end of a large cell
/// takes minutes in which nothing else moves.
class Heartbeat {
 public:
  Heartbeat(Tracker& tracker, std::string label) : tracker_(tracker), label_(std::move(label)) {
    thread_ = std::thread([this] { beat(); });
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }

 private:
  static constexpr std::size_t kWriter = std::numeric_limits<std::size_t>::max();  // no slot's

  void beat() {
    std::unique_lock lock(mutex_);
    int seconds = 0;
    while (!over_.wait_for(lock, std::chrono::seconds(1), [&] { return is_over_; })) {
      ++seconds;
      tracker_.slot_works_on(kWriter, fmt::format("{}, {}", label_, format_duration(seconds)));
    }
    if (seconds > 0) tracker_.slot_is_idle(kWriter);
  }

  Tracker& tracker_;
  std::string label_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace

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

void Writer::begin(CellWork& work) {
  if (work.stored_state == CellWork::Stored::kStale) parts_.store.clear_samples(work.id);
  work.samples_left = work.planned.size() - work.stored.size();
  const auto planned = static_cast<double>(std::max<std::size_t>(1, work.planned.size()));
  parts_.tracker.computed(
      0, work.weight * (planned - static_cast<double>(work.samples_left)) / planned);
  work.is_begun = true;
}

/// Answers the skipped samples that the store does not have.
std::vector<tasks::SampleScore> Writer::begin_part(CellWork& work, BuiltPart& part,
                                                   const std::string& device) {
  const BuiltCell& built = part.built;
  part.is_begun = true;
  ++work.parts_begun;
  work.tokens += built.tokens;
  parts_.store.set_facts(work.id,
                         {static_cast<std::int64_t>(work.planned.size()), work.tokens, device});
  std::vector<tasks::SampleScore> skipped;
  for (std::size_t i = 0; i < built.skipped.size(); ++i) {
    const tasks::SampleScore& score = built.skipped[i];
    if (work.parts > 1) work.skipped_by_task[score.sample_id] = i < built.skipped_by_task;
    if (!work.stored.contains(score.sample_id)) skipped.push_back(score);
  }
  const auto planned = static_cast<double>(std::max<std::size_t>(1, work.planned.size()));
  parts_.tracker.computed(0, work.weight * static_cast<double>(skipped.size()) / planned);
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
  if (!work.is_begun) begin(work);
  if (!part.built->is_begun) {
    const std::vector<tasks::SampleScore> skipped = begin_part(work, *part.built, part.device);
    record.scores.insert(record.scores.end(), skipped.begin(), skipped.end());
  }
  check(record.scores.size() <= work.samples_left, "a sample is computed once");
  work.samples_left -= record.scores.size();
  const bool is_last = work.samples_left == 0 && work.parts_begun == work.parts;
  if (!is_last) return parts_.store.add_chunk(work.id, record);
  const Heartbeat heartbeat(
      parts_.tracker, fmt::format("adding up {} samples of {}", work.planned.size(), work.label));
  const CellEnd end =
      parts_.store.add_last_chunk(work.id, record, aggregation_order(work), parts_.run_id,
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
