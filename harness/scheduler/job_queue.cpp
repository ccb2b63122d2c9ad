#include "harness/scheduler/job_queue.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace yardstick::harness {
namespace {

double weight(const Job& job) {
  double sum = 0;
  for (const CellPtr& cell : job.cells) sum += cell->weight;
  return sum;
}

}  // namespace

std::vector<Job> make_jobs(const std::vector<CellPtr>& cells) {
  std::map<std::pair<std::size_t, std::size_t>, Job> jobs;
  for (const CellPtr& cell : cells) {
    Job& job = jobs[{cell->cell->model, cell->cell->task}];
    job.model = cell->cell->model;
    job.task = cell->cell->task;
    job.cells.push_back(cell);
  }
  std::vector<Job> out;
  for (auto& [unused, job] : jobs) {
    std::stable_sort(job.cells.begin(), job.cells.end(),
                     [](const CellPtr& a, const CellPtr& b) { return a->weight > b->weight; });
    out.push_back(std::move(job));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Job& a, const Job& b) { return weight(a) > weight(b); });
  return out;
}

JobQueue::JobQueue(std::vector<Job> jobs, std::size_t slots)
    : waiting_(std::move(jobs)), slots_(slots) {}

BundlePtr JobQueue::begin(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  return begin_now(slots_[slot]);
}

JobQueue::Offer JobQueue::take(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  if (BundlePtr bundle = begin_now(slots_[slot])) return {std::move(bundle), Offer::Role::kBuild};
  return {find_open(slots_[slot]), Offer::Role::kHelp};
}

BundlePtr JobQueue::begin_now(Slot& slot) {
  std::erase_if(bundles_, [](const BundlePtr& bundle) { return !bundle->is_open(); });
  if (slot.job.cells.empty() && !start_job(slot) && !take_over(slot)) return nullptr;
  auto bundle = std::make_shared<Bundle>(std::move(slot.job.cells.front()));
  slot.job.cells.pop_front();
  slot.has_model = true;
  slot.is_extending = true;
  bundles_.push_back(bundle);
  return bundle;
}

std::vector<CellPtr> JobQueue::extend(std::size_t index, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  Slot& slot = slots_[index];
  std::vector<CellPtr> cells;
  while (cells.size() < most && !slot.job.cells.empty()) {
    cells.push_back(std::move(slot.job.cells.front()));
    slot.job.cells.pop_front();
  }
  slot.is_extending = false;
  return cells;
}

void JobQueue::put_back(std::size_t index, CellPtr cell) {
  const std::scoped_lock lock(mutex_);
  Slot& slot = slots_[index];
  if (cell) slot.job.cells.push_front(std::move(cell));
  slot.is_extending = false;
}

BundlePtr JobQueue::find_open(Slot& slot) {
  BundlePtr found;
  for (const BundlePtr& bundle : bundles_) {
    if (slot.refused.contains(bundle->model())) continue;
    const bool is_loaded = slot.has_model && bundle->model() == slot.job.model;
    if (!found || is_loaded) found = bundle;
    if (is_loaded) break;
  }
  if (found) {
    slot.job.model = found->model();
    slot.has_model = true;
  }
  return found;
}

int JobQueue::preference(const Slot& slot, const Job& job) const {
  if (slot.has_model && slot.job.model == job.model) return 2;
  const bool is_elsewhere = std::any_of(slots_.begin(), slots_.end(), [&](const Slot& other) {
    return &other != &slot && other.has_model && other.job.model == job.model;
  });
  return is_elsewhere ? 0 : 1;
}

bool JobQueue::start_job(Slot& slot) {
  auto best = waiting_.end();
  for (auto job = waiting_.begin(); job != waiting_.end(); ++job) {
    if (slot.refused.contains(job->model)) continue;
    if (best == waiting_.end() || preference(slot, *job) > preference(slot, *best)) best = job;
  }
  if (best == waiting_.end()) return false;
  slot.job = std::move(*best);
  waiting_.erase(best);
  return true;
}

bool JobQueue::take_over(Slot& slot) {
  Slot* richest = nullptr;
  for (Slot& other : slots_) {
    if (&other == &slot || slot.refused.contains(other.job.model)) continue;
    if (other.job.cells.empty() || other.is_extending) continue;
    if (richest == nullptr || other.job.cells.size() > richest->job.cells.size()) richest = &other;
  }
  if (richest == nullptr) return false;
  slot.job.model = richest->job.model;
  slot.job.task = richest->job.task;
  for (std::size_t half = (richest->job.cells.size() + 1) / 2; half > 0; --half) {
    slot.job.cells.push_front(std::move(richest->job.cells.back()));
    richest->job.cells.pop_back();
  }
  return true;
}

std::vector<CellPtr> JobQueue::refuse(std::size_t index, std::size_t model) {
  const std::scoped_lock lock(mutex_);
  Slot& slot = slots_[index];
  slot.refused.insert(model);
  if (slot.job.model == model) {
    slot.has_model = false;
    if (!slot.job.cells.empty()) waiting_.push_back(std::exchange(slot.job, {}));
  }
  const bool is_hopeless = std::all_of(slots_.begin(), slots_.end(), [&](const Slot& other) {
    return other.refused.contains(model);
  });
  std::vector<CellPtr> lost;
  if (!is_hopeless) return lost;
  std::erase_if(bundles_, [](const BundlePtr& bundle) { return !bundle->is_open(); });
  for (const Job& job : waiting_)
    if (job.model == model) lost.insert(lost.end(), job.cells.begin(), job.cells.end());
  std::erase_if(waiting_, [&](const Job& job) { return job.model == model; });
  for (const BundlePtr& bundle : bundles_) {
    if (bundle->model() != model) continue;
    const std::vector<CellPtr> left = bundle->take_cells_left();
    lost.insert(lost.end(), left.begin(), left.end());
  }
  std::erase_if(bundles_, [&](const BundlePtr& bundle) { return bundle->model() == model; });
  return lost;
}

}  // namespace yardstick::harness
