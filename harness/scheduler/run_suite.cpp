#include "harness/scheduler/run_suite.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/text.hpp"
#include "harness/scheduler/processors.hpp"
#include "harness/store/run_lock.hpp"

namespace yardstick::harness {
namespace {

std::string label_of(const OpenedSuite& opened, const PlannedCell& cell) {
  std::string label = fmt::format("{}/{}", opened.suite.models[cell.model].spec.name,
                                  opened.suite.tasks[cell.task].definition.name);
  if (cell.axes.length_tokens) label += " " + format_length(*cell.axes.length_tokens);
  return label;
}

/// The cells that need computing; those without positions are recorded as skipped.
std::vector<CellPtr> collect_work(const OpenedSuite& opened, const std::vector<PlannedCell>& plan,
                                  Store& store, Store::Begun& begun) {
  std::vector<CellPtr> work;
  std::set<std::string> seen;
  for (const PlannedCell& cell : plan) {
    CellState& state = begun.cells.at(cell.key);
    if (state.status != CellStatus::kPending || !seen.insert(cell.key).second) continue;
    if (!cell.not_applicable.empty()) {
      state.status = CellStatus::kSkipped;
      state.message = cell.not_applicable;
      store.end_cell(state.id, {CellStatus::kSkipped, cell.not_applicable, {}}, begun.run_id);
      continue;
    }
    auto item = std::make_shared<CellWork>();
    item->cell = &cell;
    item->id = state.id;
    item->stored = store.sample_ids(state.id);
    item->label = label_of(opened, cell);
    item->weight = cell_weight(cell);
    work.push_back(std::move(item));
  }
  return work;
}

void compute(const OpenedSuite& opened, std::vector<Job> jobs, Writer& writer, Tracker& tracker,
             tbb::task_arena& arena, Processors& processors, const RunSettings& settings) {
  const std::vector<DeviceSlot>& devices = opened.suite.devices;
  JobQueue queue(std::move(jobs), devices.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    threads.emplace_back([&, i] {
      Slot({.index = i,
            .device = devices[i],
            .limits = settings.chunk,
            .sharing = settings.sharing,
            .opened = opened,
            .queue = queue,
            .writer = writer,
            .tracker = tracker,
            .arena = arena,
            .processors = processors,
            .stop = settings.stop})
          .run();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void count_states(Store& store, const std::vector<PlannedCell>& plan, RunResult& result) {
  std::vector<std::string> keys;
  for (const PlannedCell& cell : plan) keys.push_back(cell.key);
  for (const auto& [key, state] : store.find_cells(keys)) {
    result.all_failed += state.status == CellStatus::kFailed ? 1 : 0;
    result.all_ok += state.status == CellStatus::kOk ? 1 : 0;
  }
}

/// "3 cells (a/passkey, b/passkey and 4 more)".
std::string describe(const std::vector<ShownCell>& cells) {
  constexpr std::size_t kNamed = 4;
  std::set<std::string> names;
  for (const ShownCell& cell : cells) names.insert(fmt::format("{}/{}", cell.model, cell.task));
  std::vector<std::string> named(names.begin(), names.end());
  std::string more;
  if (named.size() > kNamed) {
    more = fmt::format(" and {} more", named.size() - kNamed);
    named.resize(kNamed);
  }
  return fmt::format("{} {} ({}{})", cells.size(), cells.size() == 1 ? "cell" : "cells",
                     fmt::join(named, ", "), more);
}

/// Nothing that a suite showed goes, or stays beside what its file says, without a word.
void tell_change(const SuiteChange& change, const RunSettings& settings) {
  const std::string& suite = settings.run.suite;
  if (!change.replaced.empty()) {
    settings.warn(fmt::format(
        "suite '{}' showed {} under names that mean something else in this run (another model, "
        "task "
        "or setting): this run's take their place. The earlier ones stay in the database; other "
        "names (--model NAME=PATH) keep both in view",
        suite, describe(change.replaced)));
  }
  if (!change.pruned.empty()) {
    settings.warn(fmt::format("suite '{}' no longer shows {}; the results stay in the database",
                              suite, describe(change.pruned)));
  }
  if (!change.kept.empty() && settings.earlier_cells == EarlierCells::kBehind) {
    settings.warn(
        fmt::format("suite '{}' still shows {} of earlier runs, which this run does not "
                    "have; --prune takes them out of view",
                    suite, describe(change.kept)));
  }
}

SuiteRecord record_of(const OpenedSuite& opened, const std::vector<PlannedCell>& plan,
                      const RunSettings& settings) {
  SuiteRecord record = make_record(opened, plan, settings.run);
  record.earlier_cells = settings.earlier_cells;
  return record;
}

}  // namespace

RunResult run_suite(const OpenedSuite& opened, const std::vector<PlannedCell>& plan,
                    const RunSettings& settings) {
  const RunLock lock(settings.database);
  Store store(settings.database, Access::kReadWrite, settings.warn);
  Store::Begun begun = store.begin_run(record_of(opened, plan, settings), settings.earlier);
  tell_change(begun.change, settings);
  const auto pending = std::ranges::count_if(
      begun.cells, [](const auto& cell) { return cell.second.status == CellStatus::kPending; });
  std::vector<CellPtr> work = collect_work(opened, plan, store, begun);
  const std::int64_t to_do = std::ssize(work);
  double weight = 0;
  for (const CellPtr& item : work) weight += item->weight;

  RunResult result;
  const auto cells = static_cast<std::int64_t>(begun.cells.size());
  result.earlier = cells - pending;
  Tracker tracker(cells, weight, settings.on_progress);
  tracker.cells_were_done(cells - to_do);
  if (to_do > 0) {
    Processors processors(settings.workers);
    tbb::task_arena arena(settings.workers + 1);  // and the writer
    Writer writer({opened, store, begun.run_id, arena, tracker, 2 * opened.suite.devices.size()});
    compute(opened, make_jobs(std::exchange(work, {})), writer, tracker, arena, processors,
            settings);
    writer.finish();
  }
  result.computed = tracker.counts();
  result.left = to_do - result.computed.ok - result.computed.failed - result.computed.skipped;
  result.computed.skipped += pending - to_do;  // those without positions
  count_states(store, plan, result);
  result.progress = tracker.state();
  result.profile = tracker.profile();
  if (result.left == 0) store.finish_run(begun.run_id);
  return result;
}

}  // namespace yardstick::harness
