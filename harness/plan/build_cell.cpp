#include "harness/plan/build_cell.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

std::int64_t longest_request(const tasks::Sample& sample) {
  std::int64_t longest = 0;
  for (const Request& request : sample.requests) {
    longest = std::max(longest,
                       static_cast<std::int64_t>(request.tokens.size()) + request.max_new_tokens);
  }
  return longest;
}

}  // namespace

std::int64_t request_tokens(const tasks::Sample& sample) {
  std::int64_t tokens = 0;
  for (const Request& request : sample.requests)
    tokens += static_cast<std::int64_t>(request.tokens.size());
  return tokens;
}

BuiltCell build_cell(const OpenedSuite& opened, const PlannedCell& cell) {
  const OpenedModel& model = *opened.models[cell.model];
  tasks::Task::Built built = opened.tasks[cell.task]->build(
      cell.axes, {model.codec(), opened.suite.seed, opened.suite.limit});
  BuiltCell out;
  out.skipped = std::move(built.skipped);
  for (tasks::Sample& sample : built.samples) {
    const std::int64_t needed = longest_request(sample);
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
    score.reason = fmt::format("{} (it needs {} tokens)", beyond, needed);
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

std::vector<CellCount> count_cells(const OpenedSuite& opened, const std::vector<PlannedCell>& cells,
                                   int workers) {
  std::vector<CellCount> counts(cells.size());
  tbb::task_arena arena(workers);
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t i) {
      try {
        const BuiltCell built = build_cell(opened, cells[i]);
        counts[i].samples = static_cast<std::int64_t>(built.samples.size());
        counts[i].skipped = static_cast<std::int64_t>(built.skipped.size());
        counts[i].tokens = built.tokens;
      } catch (const std::exception& error) {
        counts[i].error = error.what();
      }
    });
  });
  return counts;
}

}  // namespace yardstick::harness
