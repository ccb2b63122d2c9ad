#include "harness/plan/build_cell.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "core/error.hpp"
#include "models/engine/request_sequence.hpp"

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

bool are_planned(const BuiltCell& built, const std::set<std::string>& stored) {
  const std::set<std::string> planned(built.planned.begin(), built.planned.end());
  return std::includes(planned.begin(), planned.end(), stored.begin(), stored.end());
}

std::vector<std::size_t> samples_left(const BuiltCell& built, const std::set<std::string>& stored) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < built.samples.size(); ++i)
    if (!stored.contains(built.samples[i].id)) left.push_back(i);
  return left;
}

BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell) {
  const OpenedModel& model = *opened.models[cell.model];
  tasks::Task::Built built = opened.tasks[cell.task]->build(
      cell.axes, {model.codec(), opened.suite.seed, opened.suite.subset});
  BuiltCell out;
  out.skipped = std::move(built.skipped);
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
  std::set<std::string_view> seen;
  for (const std::string& id : out.planned) {
    check(seen.insert(id).second, fmt::format("the sample id '{}' is unique in its cell", id));
  }
  return out;
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
