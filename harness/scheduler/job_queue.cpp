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

CellPtr JobQueue::take(std::size_t slot, Wait wait) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (CellPtr cell = take_now(slot)) return cell;
    const bool others_load = std::any_of(slots_.begin(), slots_.end(),
                                         [](const Slot& other) { return other.is_loading; });
    if (wait == Wait::kNo || !others_load) return nullptr;
    loaded_.wait(lock);
  }
}

CellPtr JobQueue::take_now(std::size_t index) {
  Slot& slot = slots_[index];
  if (slot.job.cells.empty() && !start_job(slot) && !take_over(slot)) return nullptr;
  CellPtr cell = std::move(slot.job.cells.front());
  slot.job.cells.pop_front();
  slot.has_model = true;
  return cell;
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
    if (other.job.cells.empty()) continue;
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

void JobQueue::begin_load(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  slots_[slot].is_loading = true;
}

void JobQueue::end_load(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  slots_[slot].is_loading = false;
  loaded_.notify_all();
}

std::vector<CellPtr> JobQueue::refuse(std::size_t index, const CellPtr& cell) {
  const std::scoped_lock lock(mutex_);
  Slot& slot = slots_[index];
  const std::size_t model = cell->cell->model;
  slot.refused.insert(model);
  slot.has_model = false;
  Job job{cell->cell->model, cell->cell->task, {cell}};
  if (slot.job.model == model) {
    for (CellPtr& rest : slot.job.cells) job.cells.push_back(std::move(rest));
    slot.job.cells.clear();
  }
  waiting_.push_back(std::move(job));
  const bool is_hopeless = std::all_of(slots_.begin(), slots_.end(), [&](const Slot& other) {
    return other.refused.contains(model);
  });
  std::vector<CellPtr> lost;
  if (is_hopeless) {
    for (Job& waiting : waiting_) {
      if (waiting.model != model) continue;
      lost.insert(lost.end(), waiting.cells.begin(), waiting.cells.end());
      waiting.cells.clear();
    }
    std::erase_if(waiting_, [](const Job& waiting) { return waiting.cells.empty(); });
  }
  return lost;
}

std::vector<CellPtr> JobQueue::left_over() {
  const std::scoped_lock lock(mutex_);
  std::vector<CellPtr> cells;
  for (const Job& job : waiting_) cells.insert(cells.end(), job.cells.begin(), job.cells.end());
  for (const Slot& slot : slots_)
    cells.insert(cells.end(), slot.job.cells.begin(), slot.job.cells.end());
  return cells;
}

}  // namespace yardstick::harness
