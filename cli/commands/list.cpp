// `yardstick list`: what there is, one a line.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "harness/store/store.hpp"
#include "harness/suite/task_library.hpp"
#include "models/arch/architecture.hpp"
#include "models/position/encoding.hpp"
#include "tasks/task.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using Description = std::pair<std::string_view, std::string_view>;

constexpr std::array<Description, 10> kEncodings = {{
    {"alibi", "linear bias by distance (Press et al. 2021)"},
    {"fire", "learned bias by relative distance (Li et al. 2023)"},
    {"fope", "Fourier position embedding (Hua et al. 2024)"},
    {"kerple", "learned kernel of the distance (Chi et al. 2022)"},
    {"learned", "a table of learned positions, with an end"},
    {"none", "no position encoding"},
    {"rope", "rotary embedding (Su et al. 2021), with its scalings"},
    {"sinusoidal", "sines added to the embedding (Vaswani et al. 2017)"},
    {"t5", "learned bias by buckets of distances (Raffel et al. 2019)"},
    {"xpos", "rotary embedding that decays (Sun et al. 2022)"},
}};

void print_names(const std::vector<std::string>& names, std::span<const Description> table) {
  for (const std::string& name : names) {
    const auto* const it = std::find_if(table.data(), table.data() + table.size(),
                                        [&](const Description& d) { return d.first == name; });
    if (it == table.data() + table.size())
      fmt::print("{}\n", name);
    else
      fmt::print("{:<16} {}\n", name, it->second);
  }
}

/// The task files that --tasks and a suite may name.
void print_library(const harness::TaskLibrary& library) {
  fmt::print("\ntask files:\n");
  for (const harness::LibraryTask& task : library.tasks()) {
    std::string about =
        task.members.empty() ? "" : fmt::format("group of {} ", task.members.size());
    if (!task.tags.empty()) about += fmt::format("[{}]", fmt::join(task.tags, ", "));
    if (!task.broken.empty()) about = "cannot be read: " + task.broken;
    fmt::print("{:<32} {}\n", escaped(task.name), escaped(about));
  }
}

std::vector<fs::path> databases(const ListOptions& options) {
  if (options.database) return {*options.database};
  std::vector<fs::path> files;
  if (fs::is_directory("results")) {
    for (const fs::directory_entry& entry : fs::directory_iterator("results"))
      if (entry.path().extension() == ".db") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void print_runs(const ListOptions& options) {
  for (const fs::path& file : databases(options)) {
    harness::Store store(file, harness::Access::kReadOnly, [](const std::string&) {});
    for (const harness::RunSummary& run : store.runs()) {
      fmt::print("{} #{} {} {} {} on {}: {}\n", file.string(), run.id, run.suite, run.started_at,
                 run.finished_at ? "finished " + *run.finished_at : "not finished", run.host,
                 escaped(run.command));
    }
  }
}

}  // namespace

int list(const ListOptions& options) {
  if (options.what == "tasks") {
    for (const std::string& kind : tasks::task_kinds())
      fmt::print("{:<22} {}\n", kind, tasks::describe_kind(kind));
    print_library(harness::TaskLibrary::standard(options.task_folders));
  } else if (options.what == "encodings") {
    print_names(position::encoding_names(), kEncodings);
  } else if (options.what == "architectures") {
    for (const models::Architecture* architecture : models::architectures())
      fmt::print("{:<16} {}\n", architecture->name(), architecture->description());
  } else if (options.what == "runs") {
    print_runs(options);
  } else {
    throw Error(
        ErrorKind::kConfig,
        fmt::format("list: unknown '{}'; it is one of: tasks, encodings, architectures, runs",
                    options.what));
  }
  return kDone;
}

}  // namespace yardstick::cli
