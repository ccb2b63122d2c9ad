#include "harness/scheduler/slot.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

/// Whether the stored samples belong to the samples that are planned now.
Chunk::Stored check_stored(const BuiltCell& built, const std::set<std::string>& stored) {
  const std::set<std::string> planned(built.planned.begin(), built.planned.end());
  return std::includes(planned.begin(), planned.end(), stored.begin(), stored.end())
             ? Chunk::Stored::kKept
             : Chunk::Stored::kStale;
}

Chunk::Place place_of(std::size_t index, std::size_t count) {
  if (count == 1) return Chunk::Place::kOnly;
  if (index == 0) return Chunk::Place::kFirst;
  return index + 1 == count ? Chunk::Place::kLast : Chunk::Place::kMiddle;
}

}  // namespace

std::vector<std::vector<std::size_t>> split_chunks(const BuiltCell& built,
                                                   const std::set<std::string>& stored,
                                                   const ChunkLimits& limits) {
  std::vector<std::vector<std::size_t>> chunks;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < built.samples.size(); ++i) {
    if (stored.contains(built.samples[i].id)) continue;
    const bool is_full =
        !chunks.empty() && (tokens >= limits.tokens || std::ssize(chunks.back()) >= limits.samples);
    if (chunks.empty() || is_full) {
      chunks.emplace_back();
      tokens = 0;
    }
    chunks.back().push_back(i);
    tokens += request_tokens(built.samples[i]);
  }
  if (chunks.empty()) chunks.emplace_back();  // nothing to compute, but a cell to end
  return chunks;
}

bool Slot::is_stopped() const {
  return parts_.writer.has_failed() || (parts_.stop != nullptr && parts_.stop->load());
}

Slot::Next Slot::take(JobQueue::Wait wait) {
  if (is_stopped()) return {};
  CellPtr work = parts_.queue.take(parts_.index, wait);
  if (!work) return {};
  auto promise = std::make_shared<std::promise<BuiltCell>>();
  std::future<BuiltCell> built = promise->get_future();
  const OpenedSuite& opened = parts_.opened;
  parts_.arena.enqueue([promise, work, &opened] {
    try {
      promise->set_value(build_cell(opened, *work->cell));
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  });
  return {std::move(work), std::move(built)};
}

void Slot::run() {
  Next next = take(JobQueue::Wait::kUntilOthersLoaded);
  while (next.work) {
    Next now = std::move(next);
    if (is_stopped()) {
      now.built.wait();
      break;
    }
    parts_.tracker.slot_works_on(parts_.index, now.work->label);
    if (load(now.work)) {
      next = take(JobQueue::Wait::kNo);
      try {
        compute(now.work, now.built.get());
      } catch (const std::exception& error) {
        fail(now.work, error.what());
      }
    } else {
      now.built.wait();
      next = {};
    }
    if (!next.work) next = take(JobQueue::Wait::kUntilOthersLoaded);
  }
  engine_.reset();
  parts_.tracker.slot_is_idle(parts_.index);
}

bool Slot::load(const CellPtr& work) {
  const OpenedModel* model = parts_.opened.models[work->cell->model].get();
  if (loaded_ == model) return true;
  engine_.reset();  // first make room
  loaded_ = nullptr;
  parts_.queue.begin_load(parts_.index);
  std::string message;
  try {
    models::EngineOptions options;
    options.device = parts_.device.device;
    options.threads = parts_.device.threads;
    options.dtype = parts_.opened.suite.dtype;
    options.batch_tokens = parts_.opened.suite.batch_tokens;
    options.sharing = parts_.sharing;
    engine_ = model->load(options);
    loaded_ = model;
  } catch (const std::exception& error) {
    message =
        fmt::format("the model could not be loaded on {}: {}", parts_.device.device, error.what());
  }
  std::vector<CellPtr> lost;
  if (loaded_ == nullptr) lost = parts_.queue.refuse(parts_.index, work);
  parts_.queue.end_load(parts_.index);
  for (const CellPtr& cell : lost) fail(cell, message);
  return loaded_ != nullptr;
}

void Slot::compute(const CellPtr& work, BuiltCell built) {
  work->built = std::move(built);
  const Chunk::Stored stored = check_stored(work->built, work->stored);
  if (stored == Chunk::Stored::kStale) work->stored.clear();
  const auto chunks = split_chunks(work->built, work->stored, parts_.limits);
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    if (is_stopped() || work->abandoned) return;
    Chunk chunk = compute_chunk(work, chunks[k]);
    if (parts_.writer.has_failed()) return;
    chunk.place = place_of(k, chunks.size());
    if (k == 0) {
      chunk.stored = stored;
      for (const tasks::SampleScore& score : work->built.skipped)
        if (!work->stored.contains(score.sample_id)) chunk.skipped.push_back(score);
    }
    parts_.writer.push(std::move(chunk));
  }
}

Chunk Slot::compute_chunk(const CellPtr& work, std::vector<std::size_t> samples) {
  std::vector<Request> requests;
  for (const std::size_t i : samples) {
    const std::vector<Request>& asked = work->built.samples[i].requests;
    requests.insert(requests.end(), asked.begin(), asked.end());
  }
  Chunk chunk;
  chunk.work = work;
  chunk.samples = std::move(samples);
  chunk.device = engine_->description();
  const auto start = std::chrono::steady_clock::now();
  if (!requests.empty()) {
    chunk.responses = engine_->respond(requests, [&](std::int64_t tokens) {
      parts_.tracker.add_tokens(tokens);
      return parts_.writer.has_failed() ? models::Continue::kStop : models::Continue::kYes;
    });
  }
  chunk.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return chunk;
}

void Slot::fail(const CellPtr& work, const std::string& message) {
  Chunk chunk;
  chunk.work = work;
  chunk.failure = message;
  parts_.writer.push(std::move(chunk));
}

}  // namespace yardstick::harness
