#include "harness/scheduler/slot.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"
#include "harness/plan/unchanged.hpp"

namespace yardstick::harness {
namespace {

std::int64_t asked_tokens(const CellPart& part) {
  std::int64_t tokens = 0;
  for (const std::size_t i : part.samples) tokens += request_tokens(part.built->built.samples[i]);
  return tokens;
}

double weight_of(const CellPart& part) {
  const auto planned = static_cast<double>(part.work->planned.size());
  return part.work->weight * static_cast<double>(part.samples.size()) / planned;
}

/// The chunk cell by cell, without those that have failed meanwhile.
std::vector<CellPart> parts_of(const Bundle& bundle, const PlannedChunk& chunk) {
  std::vector<CellPart> parts;
  for (const PlannedChunk::Ref& ref : chunk.samples) {
    const CellPtr& work = bundle.cells()[ref.cell];
    if (work->ended) continue;
    if (parts.empty() || parts.back().work != work) {
      parts.emplace_back().work = work;
      parts.back().built = bundle.built(ref.cell);
    }
    parts.back().samples.push_back(ref.sample);
  }
  return parts;
}

std::string label_of(std::span<const CellPart> parts) {
  const std::string& first = parts.front().work->label;
  return parts.size() == 1 ? first : fmt::format("{} and {} more", first, parts.size() - 1);
}

/// Turns the tokens that an engine reports into shares of the estimated work; takes them back
/// unless it is finished.
class WorkDone {
 public:
  WorkDone(Tracker& tracker, double weight, std::int64_t tokens)
      : tracker_(tracker),
        weight_(weight),
        per_token_(weight / static_cast<double>(std::max<std::int64_t>(1, tokens))) {}

  WorkDone(const WorkDone&) = delete;
  WorkDone& operator=(const WorkDone&) = delete;
  ~WorkDone() { tracker_.take_back(unfinished_); }

  void add(std::int64_t tokens) {
    const double weight = std::min(weight_ - unfinished_, per_token_ * static_cast<double>(tokens));
    unfinished_ += weight;
    tracker_.computed(tokens, weight);
  }

  void finish() { tracker_.computed(0, weight_ - std::exchange(unfinished_, 0)); }

 private:
  Tracker& tracker_;
  double weight_;
  double per_token_;
  double unfinished_ = 0;  // reported, of a chunk that may fail yet
};

}  // namespace

bool Slot::is_stopped() const {
  return parts_.writer.has_failed() || (parts_.stop != nullptr && parts_.stop->load());
}

BundlePtr Slot::begin() {
  if (is_stopped()) return nullptr;
  BundlePtr bundle = parts_.queue.begin(parts_.index);
  if (bundle) build(bundle);
  return bundle;
}

void Slot::build(const BundlePtr& bundle) {
  // run() waits for the bundle before it ends.
  parts_.arena.enqueue([this, bundle] {
    const bool shares = parts_.sharing == models::Sharing::kOn;
    bundle->build(
        parts_.opened,
        [&](std::size_t most) { return parts_.queue.extend(parts_.index, shares ? most : 0); },
        [&](CellPtr cell) { parts_.queue.put_back(parts_.index, std::move(cell)); }, parts_.limits,
        parts_.sharing);
  });
}

void Slot::run() {
  BundlePtr next;
  while (!is_stopped()) {
    BundlePtr bundle = std::exchange(next, nullptr);
    if (!bundle) {
      JobQueue::Offer offer = parts_.queue.take(parts_.index);
      if (!offer.bundle) break;
      bundle = std::move(offer.bundle);
      if (offer.role == JobQueue::Offer::Role::kBuild) build(bundle);
    }
    parts_.tracker.slot_works_on(parts_.index, bundle->label());
    const bool is_loaded = load(bundle->model());
    bundle->wait();  // also until it has the cells of its job that it takes
    end_idle_cells(*bundle);
    if (is_loaded) {
      next = begin();
      compute(*bundle);
    } else {
      refuse(bundle->model());
    }
  }
  if (next) next->wait();
  drop_engine();
  parts_.tracker.slot_is_idle(parts_.index);
}

void Slot::drop_engine() {
  if (!engine_) return;
  if (const std::optional<models::Profile> profile = engine_->profile())
    parts_.tracker.add_profile(*profile);
  engine_.reset();
}

bool Slot::load(std::size_t model) {
  const OpenedModel* wanted = parts_.opened.models[model].get();
  if (loaded_ == wanted) return true;
  drop_engine();  // first make room
  loaded_ = nullptr;
  try {
    models::EngineOptions options;
    options.device = parts_.device.device;
    options.threads = parts_.device.threads;
    options.dtype = parts_.opened.suite.dtype;
    options.batch_tokens = parts_.opened.suite.batch_tokens;
    options.sharing = parts_.sharing;
    engine_ = wanted->load(options);
    check_model_files(parts_.opened, model);
    loaded_ = wanted;
  } catch (const std::exception& error) {
    engine_.reset();
    load_error_ =
        fmt::format("the model could not be loaded on {}: {}", parts_.device.device, error.what());
  }
  return loaded_ != nullptr;
}

void Slot::refuse(std::size_t model) {
  for (const CellPtr& cell : parts_.queue.refuse(parts_.index, model)) fail(cell, load_error_);
}

void Slot::end_idle_cells(Bundle& bundle) {
  for (const std::size_t index : bundle.take_idle_cells()) {
    const CellPtr& cell = bundle.cells()[index];
    const std::string& error = bundle.built(index)->built.error;
    if (error.empty()) {
      CellPart part;
      part.work = cell;
      part.built = bundle.built(index);
      if (engine_) part.device = engine_->description();
      parts_.writer.push(std::move(part));
    } else {
      fail(cell, error);
    }
  }
}

void Slot::compute(Bundle& bundle) {
  const Processors::Computing computing(parts_.processors, parts_.device.threads);
  while (!is_stopped()) {
    const PlannedChunk* chunk = bundle.take_chunk();
    if (chunk == nullptr) return;
    compute_chunk(bundle, *chunk);
  }
}

void Slot::compute_chunk(const Bundle& bundle, const PlannedChunk& chunk) {
  std::vector<CellPart> parts = parts_of(bundle, chunk);
  if (parts.empty()) return;
  parts_.tracker.slot_works_on(parts_.index, label_of(parts));
  try {
    respond(parts, chunk.tokens);
  } catch (const std::exception& error) {
    if (parts.size() == 1) return fail(parts.front().work, error.what());
    // One cell's requests, or the memory that all of them take, must not fail the others.
    for (CellPart& part : parts) compute_alone(std::move(part));
    return;
  }
  for (CellPart& part : parts) hand_over(std::move(part));
}

void Slot::compute_alone(CellPart part) {
  try {
    respond({&part, 1}, asked_tokens(part));
  } catch (const std::exception& error) {
    return fail(part.work, error.what());
  }
  hand_over(std::move(part));
}

/// Fills in what the engine answers. `tokens`: that this takes, about.
void Slot::respond(std::span<CellPart> parts, std::int64_t tokens) {
  for (const CellPart& part : parts) check_files(parts_.opened, *part.work->cell);  // before work
  std::vector<Request> requests;
  std::int64_t asked = 0;
  double weight = 0;
  for (const CellPart& part : parts) {
    for (const std::size_t i : part.samples) {
      const std::vector<Request>& of_sample = part.built->built.samples[i].requests;
      requests.insert(requests.end(), of_sample.begin(), of_sample.end());
    }
    asked += asked_tokens(part);
    weight += weight_of(part);
  }
  WorkDone done(parts_.tracker, weight, tokens);
  const auto start = std::chrono::steady_clock::now();
  std::vector<Response> responses;
  if (!requests.empty()) {
    responses = engine_->respond(requests, [&](std::int64_t computed) {
      done.add(computed);
      return parts_.writer.has_failed() ? models::Continue::kStop : models::Continue::kYes;
    });
  }
  if (parts_.writer.has_failed()) return;
  check(responses.size() == requests.size(), "the engine answers every request once");
  done.finish();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto next = std::make_move_iterator(responses.begin());
  for (CellPart& part : parts) {
    std::size_t count = 0;
    for (const std::size_t i : part.samples) count += part.built->built.samples[i].requests.size();
    part.responses.assign(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    part.device = engine_->description();
    // What the cells share is computed once, for all of them.
    part.seconds = seconds * static_cast<double>(asked_tokens(part)) /
                   static_cast<double>(std::max<std::int64_t>(1, asked));
  }
}

void Slot::hand_over(CellPart part) {
  if (!parts_.writer.has_failed()) parts_.writer.push(std::move(part));
}

void Slot::fail(const CellPtr& work, const std::string& message) {
  CellPart part;
  part.work = work;
  part.failure = message;
  parts_.writer.push(std::move(part));
}

}  // namespace yardstick::harness
