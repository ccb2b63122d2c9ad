// `yardstick run`: suite, plan, computation, table, report.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/report_folder.hpp"
#include "cli/commands/suite_run.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "harness/plan/chunks.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "harness/store/headline_table.hpp"
#include "models/backend.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;

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

/// What a suite file no longer names stays in view behind what it does; what the command line
/// names is added.
harness::EarlierCells earlier_cells(const RunOptions& options) {
  if (options.earlier == RunOptions::Earlier::kPruned) return harness::EarlierCells::kPruned;
  return options.suite.empty() ? harness::EarlierCells::kInFront : harness::EarlierCells::kBehind;
}

harness::RunResult compute(const harness::OpenedSuite& opened,
                           const std::vector<harness::PlannedCell>& plan, const RunOptions& options,
                           harness::RunSettings settings) {
  const bool is_fresh = options.store == RunOptions::Store::kFresh;
  settings.earlier = is_fresh ? harness::Store::Earlier::kDelete : harness::Store::Earlier::kKeep;
  settings.earlier_cells = earlier_cells(options);
  const auto stored = stored_cells(settings.database, plan);
  const bool has_work =
      is_fresh || !std::all_of(plan.begin(), plan.end(), [&](const harness::PlannedCell& cell) {
        return is_done(stored, cell) || !cell.not_applicable.empty();
      });
  settings.run = {opened.suite.name, options.command_line, std::string(kVersion),
                  has_work ? check_devices(opened.suite) : "not needed: every cell was stored",
                  opened.suite.config.dump()};
  settings.chunk = harness::chunk_limits(opened.suite);
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
  print_notes(opened);
  for (std::size_t i = 0; i < opened.models.size(); ++i) {
    for (const std::string& note : opened.models[i]->notes())
      warn(fmt::format("model {}: {}", suite.models[i].spec.name, note));
  }
  harness::RunSettings settings;
  settings.database = database_of(options, suite);
  const fs::path output = options.output.value_or(fs::path("results") / suite.name);
  claim_report_folder(output, settings.database, suite.name);
  const harness::RunResult result = compute(opened, plan, options, settings);
  if (options.profile == ShowProfile::kYes) print_profile(result.profile);
  if (result.left > 0) {
    fmt::print(stderr, "interrupted: {} cells are left; the same command goes on from here\n",
               result.left);
    return kInterrupted;
  }
  print_summary(settings.database, suite.name, result);
  const int reported = report({settings.database, suite.name, output, suite.report_formats});
  if (reported != kDone) return reported;
  if (result.all_failed > 0) return kSomeFailed;
  if (result.all_ok > 0) return kDone;
  warn("nothing was asked: every cell was skipped, the reasons stand in the table's last lines");
  return kSomeFailed;
}

}  // namespace

int run(const RunOptions& options) {
  harness::OpenedParts parts = open_parts(options);
  const std::vector<std::string> errors = parts.errors;
  if (!errors.empty() && options.earlier == RunOptions::Earlier::kPruned) {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("{}\n--prune needs every model and task of the suite, or it would take out "
                    "of view what only could not be opened",
                    fmt::join(errors, "\n")));
  }
  const harness::OpenedSuite opened = harness::keep_opened(std::move(parts));
  for (const std::string& error : errors)
    std::fputs(fmt::format("error: {}\n", escaped_lines(error)).c_str(), stderr);
  const int status = run_opened(opened, options);
  if (errors.empty()) return status;
  fmt::print(stderr,
             "error: {} of the suite's models and tasks could not be opened (see above); "
             "the others ran\n",
             errors.size());
  return status == kDone ? kSomeFailed : status;
}

}  // namespace yardstick::cli
