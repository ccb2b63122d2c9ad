#include "harness/scheduler/tracker.hpp"

#include <algorithm>
#include <utility>

namespace yardstick::harness {

Tracker::Tracker(std::int64_t total_cells, double total_weight, OnProgress on_progress)
    : total_weight_(total_weight), on_progress_(std::move(on_progress)) {
  state_.total = total_cells;
}

void Tracker::publish() {
  // A sum of many shares may miss its ends by a rounding.
  state_.fraction = total_weight_ > 0 ? std::clamp(done_weight_ / total_weight_, 0.0, 1.0) : 1;
  state_.current.clear();
  for (const auto& [slot, label] : current_) state_.current.push_back(label);
  if (on_progress_) on_progress_(state_);
}

void Tracker::slot_works_on(std::size_t slot, const std::string& label) {
  const std::scoped_lock lock(mutex_);
  current_[slot] = label;
  publish();
}

void Tracker::slot_is_idle(std::size_t slot) {
  const std::scoped_lock lock(mutex_);
  current_.erase(slot);
  publish();
}

void Tracker::computed(std::int64_t tokens, double weight) {
  const std::scoped_lock lock(mutex_);
  state_.tokens += tokens;
  done_weight_ += weight;
  publish();
}

void Tracker::take_back(double weight) noexcept {
  const std::scoped_lock lock(mutex_);
  done_weight_ -= weight;
}

void Tracker::cell_ended(CellStatus status) {
  const std::scoped_lock lock(mutex_);
  ++state_.done;
  if (status == CellStatus::kOk) ++counts_.ok;
  if (status == CellStatus::kSkipped) ++counts_.skipped;
  if (status == CellStatus::kFailed) {
    ++counts_.failed;
    ++state_.failed;
  }
  publish();
}

void Tracker::add_profile(const models::Profile& profile) {
  const std::scoped_lock lock(mutex_);
  if (!profile_) profile_.emplace();
  profile_->add(profile, 1.0);
}

std::optional<models::Profile> Tracker::profile() {
  const std::scoped_lock lock(mutex_);
  return profile_;
}

void Tracker::cells_were_done(std::int64_t count) {
  const std::scoped_lock lock(mutex_);
  state_.done += count;
  publish();
}

ProgressState Tracker::state() {
  const std::scoped_lock lock(mutex_);
  publish();
  return state_;
}

CellCounts Tracker::counts() {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace yardstick::harness
