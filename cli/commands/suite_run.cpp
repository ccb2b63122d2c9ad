#include "cli/commands/suite_run.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/selection.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/task.hpp"

namespace yardstick::cli {

namespace {

std::optional<tasks::Subset> subset_of(const RunOptions& options) {
  if (options.limit) return tasks::Subset{.limit = options.limit};
  if (!options.first_n) return std::nullopt;
  return tasks::Subset{.limit = options.first_n, .choice = tasks::Subset::Choice::kFirst};
}

}  // namespace

harness::OpenedParts open_parts(const RunOptions& options) {
  const harness::SuiteOverrides overrides =
      with_selection({.set = options.set, .devices = options.devices, .subset = subset_of(options)},
                     options.selection);
  harness::Suite suite = options.suite.empty()
                             ? harness::read_suite(suite_of(options.selection), overrides)
                             : harness::read_suite(options.suite, overrides);
  return harness::open_parts(std::move(suite), harness::FolderModels(), tasks::make_task);
}

harness::OpenedSuite open_suite(const RunOptions& options) {
  harness::OpenedParts parts = open_parts(options);
  if (parts.errors.empty()) return std::move(parts.opened);
  throw Error(ErrorKind::kConfig, fmt::format("{}", fmt::join(parts.errors, "\n")));
}

void print_notes(const harness::OpenedSuite& opened) {
  for (const std::string& note : harness::notes_of(opened))
    std::fputs(fmt::format("note: {}\n", escaped_lines(note)).c_str(), stderr);
}

std::filesystem::path database_of(const RunOptions& options, const harness::Suite& suite) {
  return options.database.value_or(std::filesystem::path("results") / (suite.name + ".db"));
}

std::map<std::string, harness::CellState> stored_cells(
    const std::filesystem::path& database, const std::vector<harness::PlannedCell>& plan) {
  if (harness::is_blank(database)) return {};  // also what a kill at its first moment leaves
  std::vector<std::string> keys;
  for (const harness::PlannedCell& cell : plan) keys.push_back(cell.key);
  return harness::Store(database, harness::Access::kReadOnly, warn).find_cells(keys);
}

harness::StoredSamples stored_samples(const std::filesystem::path& database,
                                      const std::map<std::string, harness::CellState>& stored,
                                      const std::vector<harness::PlannedCell>& cells) {
  if (stored.empty()) return {};
  const auto quietly = [](const std::string&) {};  // stored_cells has warned
  harness::Store store(database, harness::Access::kReadOnly, quietly);
  harness::StoredSamples samples;
  for (const harness::PlannedCell& cell : cells) {
    const auto found = stored.find(cell.key);
    if (found != stored.end()) samples[cell.key] = store.sample_ids(found->second.id);
  }
  return samples;
}

bool is_done(const std::map<std::string, harness::CellState>& stored,
             const harness::PlannedCell& cell) {
  const auto it = stored.find(cell.key);
  return it != stored.end() && (it->second.status == harness::CellStatus::kOk ||
                                it->second.status == harness::CellStatus::kSkipped);
}

int worker_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void warn(const std::string& message) {
  // A log that cannot be written fails no run; the program's exit status tells (see main).
  std::fputs(fmt::format("warning: {}\n", escaped_lines(message)).c_str(), stderr);
}

}  // namespace yardstick::cli
