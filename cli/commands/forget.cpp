// `yardstick forget`: takes cells out of a results database, or says which it would take.
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/suite_run.hpp"
#include "harness/store/forget.hpp"

namespace yardstick::cli {
namespace {

void print_lines(const std::vector<harness::ForgetLine>& lines) {
  std::size_t suite = 5;
  std::size_t model = 5;
  std::size_t task = 4;
  for (const harness::ForgetLine& line : lines) {
    suite = std::max(suite, line.suite.size());
    model = std::max(model, line.model.size());
    task = std::max(task, line.task.size());
  }
  fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<7}  {:>6}  {:>8}\n", "suite", suite, "model", model,
             "task", task, "status", "cells", "samples");
  for (const harness::ForgetLine& line : lines) {
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<7}  {:>6}  {:>8}\n", line.suite, suite, line.model,
               model, line.task, task, line.status, line.cells, line.samples);
  }
}

}  // namespace

int forget(const ForgetOptions& options) {
  const harness::ForgetFilter filter{options.suites, options.models, options.tasks,
                                     options.statuses};
  const bool is_asked = options.mode == ForgetOptions::Mode::kPreview;
  const harness::Forgotten found = is_asked
                                       ? harness::preview_forget(options.database, filter, warn)
                                       : harness::forget(options.database, filter, warn);
  if (found.lines.empty()) {
    fmt::print("no cell of {} is meant; nothing was changed\n", options.database.string());
    return kDone;
  }
  print_lines(found.lines);
  fmt::print("{} cells with {} samples {}", found.cells, found.samples,
             is_asked ? "would be deleted" : "were deleted");
  if (found.kept > 0)
    fmt::print("; {} only leave these suites, for they are shown elsewhere too", found.kept);
  fmt::print("\n{}", is_asked ? "nothing was changed; --yes forgets them\n" : "");
  return kDone;
}

}  // namespace yardstick::cli
