// `yardstick plan` and `run --dry-run`: every cell, done or to do, and the tokens that the rest
// takes.
#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/suite_run.hpp"
#include "core/text.hpp"
#include "harness/plan/count_plan.hpp"

namespace yardstick::cli {
namespace {

/// 49152 -> "49,152".
std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string describe_axes(const tasks::CellAxes& axes) {
  std::string text = axes.length_tokens ? format_length(*axes.length_tokens) : "-";
  if (axes.depth) text += fmt::format(" depth {:g}", *axes.depth);
  if (!axes.variant.empty()) text += " " + axes.variant;
  return text;
}

std::string describe_tokens(const harness::TokenCount& tokens, models::Sharing sharing) {
  const std::string asked = grouped(tokens.asked) + " tokens asked";
  if (sharing == models::Sharing::kOff)
    return fmt::format("{}, {} computed", asked, grouped(tokens.alone));
  const double times = tokens.shared > 0
                           ? static_cast<double>(tokens.alone) / static_cast<double>(tokens.shared)
                           : 1.0;
  return fmt::format("{}, {} computed: {:.2f} times less than {} without sharing", asked,
                     grouped(tokens.shared), times, grouped(tokens.alone));
}

struct Names {
  const harness::OpenedSuite& opened;

  std::string of(std::size_t model, std::size_t task) const {
    return fmt::format("{}/{}", opened.suite.models[model].spec.name,
                       opened.suite.tasks[task].definition.name);
  }
  std::string of(const harness::PlannedCell& cell) const {
    return fmt::format("{} {}", of(cell.model, cell.task), describe_axes(cell.axes));
  }
};

void print_count(const std::string& name, const harness::CellCount& count) {
  if (!count.error.empty()) {
    fmt::print("error  {}: {}\n", name, escaped_lines(count.error));
    return;
  }
  const std::string stored =
      count.stored > 0 ? fmt::format(", {} more are stored", grouped(count.stored)) : "";
  const std::string skipped =
      count.skipped > 0 ? fmt::format(", {} samples cannot be asked", count.skipped) : "";
  fmt::print("to do  {}: {} samples, {} tokens{}{}\n", name, grouped(count.samples),
             grouped(count.tokens), stored, skipped);
}

void print_totals(const Names& names, const harness::PlanCount& count, models::Sharing sharing) {
  harness::TokenCount total;
  for (const harness::JobCount& job : count.jobs) {
    fmt::print("total  {}: {}\n", names.of(job.model, job.task),
               describe_tokens(job.tokens, sharing));
    total += job.tokens;
  }
  std::int64_t samples = 0;
  for (const harness::CellCount& cell : count.cells) samples += cell.samples;
  fmt::print("{} cells to do: {} samples, {}\n", count.cells.size(), grouped(samples),
             describe_tokens(total, sharing));
}

}  // namespace

int plan(const RunOptions& options) {
  const harness::OpenedSuite opened = open_suite(options);
  const std::vector<harness::PlannedCell> cells = harness::make_plan(opened);
  print_notes(opened);
  const bool is_fresh = options.store == RunOptions::Store::kFresh;
  const std::filesystem::path database = database_of(options, opened.suite);
  const std::map<std::string, harness::CellState> stored =
      is_fresh ? std::map<std::string, harness::CellState>() : stored_cells(database, cells);
  std::vector<harness::PlannedCell> to_do;
  std::set<std::string> keys;  // of to_do: a cell may stand in a suite under several names
  for (const harness::PlannedCell& cell : cells) {
    const bool is_left = !is_done(stored, cell) && cell.not_applicable.empty();
    if (is_left && keys.insert(cell.key).second) to_do.push_back(cell);
  }
  tbb::task_arena arena(worker_count());
  const harness::PlanCount count = arena.execute([&] {
    return harness::count_plan(opened, to_do, stored_samples(database, stored, to_do),
                               harness::chunk_limits(opened.suite));
  });
  const Names names{opened};
  std::size_t next = 0;
  for (const harness::PlannedCell& cell : cells) {
    if (is_done(stored, cell)) {
      fmt::print("done   {}\n", names.of(cell));
    } else if (!cell.not_applicable.empty()) {
      fmt::print("skip   {}: {}\n", names.of(cell), escaped(cell.not_applicable));
    } else if (next < to_do.size() && cell.key == to_do[next].key) {
      print_count(names.of(cell), count.cells[next++]);
    } else {
      fmt::print("same   {}: the cell stands above under another name\n", names.of(cell));
    }
  }
  print_totals(names, count, options.sharing);
  const bool has_errors = std::ranges::any_of(
      count.cells, [](const harness::CellCount& cell) { return !cell.error.empty(); });
  return has_errors ? kBadInput : kDone;
}

}  // namespace yardstick::cli
