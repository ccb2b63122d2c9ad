// `yardstick run`: suite, plan, computation, table, report.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "harness/plan/build_cell.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "harness/store/headline_table.hpp"
#include "models/backend.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using harness::CellStatus;

// A signal handler can reach nothing but statics.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (stop_requested.exchange(true)) ::_exit(kInterrupted);
  static constexpr char kNotice[] =
      "\nstopping after the samples in flight; once more to stop at once\n";
  static_cast<void>(!::write(STDERR_FILENO, kNotice, sizeof(kNotice) - 1));
}

/// Catches SIGINT and SIGTERM while it lives.
class SignalGuard {
 public:
  SignalGuard() {
    stop_requested = false;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

void warn(const std::string& message) { fmt::print(stderr, "warning: {}\n", message); }

int worker_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// What the store has of the plan, without making a database that is not there.
std::map<std::string, harness::CellState> stored_cells(
    const fs::path& database, const std::vector<harness::PlannedCell>& plan) {
  if (harness::is_blank(database)) return {};  // also what a kill at its first moment leaves
  std::vector<std::string> keys;
  for (const harness::PlannedCell& cell : plan) keys.push_back(cell.key);
  return harness::Store(database, harness::Access::kReadOnly, warn).find_cells(keys);
}

bool is_done(const std::map<std::string, harness::CellState>& stored,
             const harness::PlannedCell& cell) {
  const auto it = stored.find(cell.key);
  return it != stored.end() &&
         (it->second.status == CellStatus::kOk || it->second.status == CellStatus::kSkipped);
}

std::string describe_axes(const tasks::CellAxes& axes) {
  std::string text = axes.length_tokens ? format_length(*axes.length_tokens) : "-";
  if (axes.depth) text += fmt::format(" depth {:g}", *axes.depth);
  if (!axes.variant.empty()) text += " " + axes.variant;
  return text;
}

int print_plan(const harness::OpenedSuite& opened, const std::vector<harness::PlannedCell>& plan,
               const std::map<std::string, harness::CellState>& stored) {
  std::vector<harness::PlannedCell> to_do;
  for (const harness::PlannedCell& cell : plan) {
    if (!is_done(stored, cell) && cell.not_applicable.empty()) to_do.push_back(cell);
  }
  const std::vector<harness::CellCount> counts =
      harness::count_cells(opened, to_do, worker_count());
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  bool has_errors = false;
  std::size_t next = 0;
  for (const harness::PlannedCell& cell : plan) {
    const std::string name =
        fmt::format("{}/{} {}", opened.suite.models[cell.model].spec.name,
                    opened.suite.tasks[cell.task].definition.name, describe_axes(cell.axes));
    if (is_done(stored, cell)) {
      fmt::print("done   {}\n", name);
    } else if (!cell.not_applicable.empty()) {
      fmt::print("skip   {}: {}\n", name, cell.not_applicable);
    } else {
      const harness::CellCount& count = counts[next++];
      if (!count.error.empty()) {
        fmt::print("error  {}: {}\n", name, count.error);
        has_errors = true;
        continue;
      }
      const std::string skipped =
          count.skipped > 0 ? fmt::format(", {} samples cannot be asked", count.skipped) : "";
      fmt::print("to do  {}: {} samples, {} tokens{}\n", name, count.samples, count.tokens,
                 skipped);
      samples += count.samples;
      tokens += count.tokens;
    }
  }
  fmt::print("{} cells, {} to do: {} samples, {} tokens\n", plan.size(), to_do.size(), samples,
             tokens);
  return has_errors ? kBadInput : kDone;
}

/// The backend's description, for the run's record; devices that it does not have are refused
/// before anything is computed.
std::string check_devices(const harness::Suite& suite) {
  const models::Backend& backend = models::load_backend();
  const std::vector<std::string> devices = backend.devices();
  for (const harness::DeviceSlot& slot : suite.devices) {
    const std::string name = slot.device == "cuda" ? "cuda:0" : slot.device;
    if (std::find(devices.begin(), devices.end(), name) != devices.end()) continue;
    throw Error(ErrorKind::kDevice, fmt::format("device '{}' is not there; {} has: {}", slot.device,
                                                backend.description(), fmt::join(devices, ", ")));
  }
  return backend.description();
}

harness::RunResult compute(const harness::OpenedSuite& opened,
                           const std::vector<harness::PlannedCell>& plan, const RunOptions& options,
                           harness::RunSettings settings) {
  const bool is_fresh = options.store == RunOptions::Store::kFresh;
  settings.earlier = is_fresh ? harness::Store::Earlier::kDelete : harness::Store::Earlier::kKeep;
  const auto stored = stored_cells(settings.database, plan);
  const bool has_work =
      is_fresh || !std::all_of(plan.begin(), plan.end(), [&](const harness::PlannedCell& cell) {
        return is_done(stored, cell) || !cell.not_applicable.empty();
      });
  settings.run = {opened.suite.name, options.command_line, std::string(kVersion),
                  has_work ? check_devices(opened.suite) : "not needed: every cell was stored",
                  opened.suite.config.dump()};
  settings.chunk.tokens = 4 * opened.suite.batch_tokens;
  settings.sharing = options.sharing;
  settings.workers = worker_count();
  settings.warn = warn;
  const SignalGuard signals;
  settings.stop = &stop_requested;
  ProgressPrinter printer(stderr, ::isatty(STDERR_FILENO) == 1
                                      ? ProgressPrinter::Style::kRedrawnLine
                                      : ProgressPrinter::Style::kPlainLines);
  settings.on_progress = [&](const ProgressState& state) { printer.show(state); };
  harness::RunResult result = harness::run_suite(opened, plan, settings);
  printer.finish(result.progress);
  return result;
}

void print_summary(const fs::path& database, const std::string& suite,
                   const harness::RunResult& result) {
  harness::Store store(database, harness::Access::kReadOnly, warn);
  fmt::print("{}", harness::format_headlines(store.headlines(suite)));
  fmt::print("{} cells computed, {} failed, {} skipped; {} were stored before. Results: {}\n",
             result.computed.ok, result.computed.failed, result.computed.skipped, result.earlier,
             database.string());
  std::fflush(stdout);
}

int run_opened(const harness::OpenedSuite& opened, const RunOptions& options) {
  const harness::Suite& suite = opened.suite;
  const std::vector<harness::PlannedCell> plan = harness::make_plan(opened);
  harness::RunSettings settings;
  settings.database = options.database.value_or(fs::path("results") / (suite.name + ".db"));
  if (options.mode == RunOptions::Mode::kDryRun) {
    const bool is_fresh = options.store == RunOptions::Store::kFresh;
    return print_plan(opened, plan,
                      is_fresh ? std::map<std::string, harness::CellState>()
                               : stored_cells(settings.database, plan));
  }
  const harness::RunResult result = compute(opened, plan, options, settings);
  if (result.left > 0) {
    fmt::print(stderr, "interrupted: {} cells are left; the same command goes on from here\n",
               result.left);
    return kInterrupted;
  }
  print_summary(settings.database, suite.name, result);
  const fs::path output = options.output.value_or(fs::path("results") / suite.name);
  const int reported = report({settings.database, suite.name, output, suite.report_formats});
  if (reported != kDone) return reported;
  return result.all_failed > 0 ? kSomeFailed : kDone;
}

}  // namespace

int run(const RunOptions& options) {
  harness::Suite suite =
      harness::read_suite(options.suite, {options.set, options.devices, options.limit});
  const harness::FolderModels source;
  return run_opened(harness::open_suite(std::move(suite), source, tasks::make_task), options);
}

}  // namespace yardstick::cli
