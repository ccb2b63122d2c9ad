#include "harness/plan/build_cell.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "core/error.hpp"
#include "models/engine/request_sequence.hpp"
#include "tasks/partwise.hpp"

namespace yardstick::harness {
namespace {

/// Bounds the memory of what waits to be computed: 128 MB of token ids.
constexpr std::int64_t kTokensTogether = std::int64_t{32} << 20;

std::int64_t positions_needed(const tasks::Sample& sample) {
  std::int64_t longest = 0;
  for (const Request& request : sample.requests)
    longest = std::max(longest, models::positions_needed(request));
  return longest;
}

BuiltCell build_or_fail(const OpenedSuite& opened, const PlannedCell& cell) {
  try {
    return build_cell(opened, cell);
  } catch (const std::exception& error) {
    BuiltCell failed;
    failed.error = error.what();
    return failed;
  }
}

}  // namespace

std::int64_t request_tokens(const tasks::Sample& sample) {
  std::int64_t tokens = 0;
  for (const Request& request : sample.requests)
    tokens += static_cast<std::int64_t>(request.tokens.size());
  return tokens;
}

bool are_planned(std::span<const std::string> planned, const std::set<std::string>& stored) {
  if (stored.empty()) return true;
  const auto known = std::count_if(planned.begin(), planned.end(),
                                   [&](const std::string& id) { return stored.contains(id); });
  return known == std::ssize(stored);  // ids are unique
}

std::vector<std::size_t> samples_left(const BuiltCell& built, const std::set<std::string>& stored) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < built.samples.size(); ++i)
    if (!stored.contains(built.samples[i].id)) left.push_back(i);
  return left;
}

namespace {

tasks::BuildContext context_of(const OpenedSuite& opened, const PlannedCell& cell) {
  return {opened.models[cell.model]->codec(), opened.suite.seed, opened.suite.subset};
}

void check_unique(std::span<const std::string> ids) {
  std::vector<std::string_view> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return;
  check(false, fmt::format("the sample id '{}' is unique in its cell", *twice));
}

BuiltCell sort_out(const OpenedModel& model, tasks::Task::Built built) {
  BuiltCell out;
  out.skipped = std::move(built.skipped);
  out.skipped_by_task = out.skipped.size();
  for (tasks::Sample& sample : built.samples) {
    const std::int64_t needed = positions_needed(sample);
    const std::string beyond = beyond_positions(model, needed);
    if (beyond.empty()) {
      out.planned.push_back(sample.id);
      out.tokens += request_tokens(sample);
      out.samples.push_back(std::move(sample));
      continue;
    }
    tasks::SampleScore score;
    score.sample_id = sample.id;
    score.document_id = sample.document_id;
    score.status = tasks::SampleStatus::kSkipped;
    score.reason = fmt::format("{} (it needs {} positions)", beyond, needed);
    score.details = nlohmann::json::object();
    out.skipped.push_back(std::move(score));
  }
  for (const tasks::SampleScore& score : out.skipped) out.planned.push_back(score.sample_id);
  return out;
}

}  // namespace

BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell) {
  BuiltCell out = sort_out(*opened.models[cell.model],
                           opened.tasks[cell.task]->build(cell.axes, context_of(opened, cell)));
  check_unique(out.planned);
  return out;
}

std::optional<std::vector<std::string>> ids_of_parts(const OpenedSuite& opened,
                                                     const PlannedCell& cell) {
  const auto* const task = dynamic_cast<const tasks::PartwiseTask*>(opened.tasks[cell.task].get());
  if (task == nullptr) return std::nullopt;
  std::vector<std::string> ids = task->sample_ids(context_of(opened, cell));
  if (ids.size() <= kPartSamples) return std::nullopt;
  check_unique(ids);
  return ids;
}

BuiltCell build_part(const OpenedSuite& opened, const PlannedCell& cell, std::size_t part) {
  const auto* const task = dynamic_cast<const tasks::PartwiseTask*>(opened.tasks[cell.task].get());
  check(task != nullptr, "a cell in parts is of a task that builds parts");
  return sort_out(*opened.models[cell.model], task->build_part(cell.axes, context_of(opened, cell),
                                                               part * kPartSamples, kPartSamples));
}

std::vector<BuiltCell> build_together(const OpenedSuite& opened, const PlannedCell& first,
                                      const MoreCells& more) {
  std::vector<BuiltCell> built = {build_or_fail(opened, first)};
  const std::int64_t tokens = built.front().tokens;
  // A cell without tokens tells nothing about the next one.
  const std::int64_t most = tokens > 0 ? kTokensTogether / tokens - 1 : 0;
  const std::vector<const PlannedCell*> rest =
      more(static_cast<std::size_t>(std::max<std::int64_t>(0, most)));
  built.resize(1 + rest.size());
  tbb::parallel_for(std::size_t{0}, rest.size(),
                    [&](std::size_t i) { built[i + 1] = build_or_fail(opened, *rest[i]); });
  return built;
}

}  // namespace yardstick::harness
