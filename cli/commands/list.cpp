// `yardstick list`: what there is, one a line.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "harness/store/store.hpp"
#include "models/arch/architecture.hpp"
#include "models/position/encoding.hpp"
#include "tasks/task.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using Description = std::pair<std::string_view, std::string_view>;

constexpr std::array<Description, 3> kTasks = {{
    {"multiple_choice", "questions with options, scored by log-likelihood"},
    {"passkey", "a key hidden in filler at lengths x depths, asked for at the end"},
    {"perplexity", "loss of a text at every context length"},
}};

constexpr std::array<Description, 5> kEncodings = {{
    {"alibi", "linear bias by distance (Press et al. 2021)"},
    {"fope", "Fourier position embedding (Hua et al. 2024)"},
    {"learned", "a table of learned positions, with an end"},
    {"none", "no position encoding"},
    {"rope", "rotary embedding (Su et al. 2021), with its scalings"},
}};

constexpr std::array<Description, 3> kArchitectures = {{
    {"llama", "Hugging Face LLaMA folders: config.json and safetensors"},
    {"olmo_fope", "OLMo training checkpoints of the FoPE paper: config.yaml and model.pt"},
    {"yardstick", "models that `yardstick train` writes"},
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
                 run.command);
    }
  }
}

}  // namespace

int list(const ListOptions& options) {
  if (options.what == "tasks") {
    print_names(tasks::task_kinds(), kTasks);
  } else if (options.what == "encodings") {
    print_names(position::encoding_names(), kEncodings);
  } else if (options.what == "architectures") {
    std::vector<std::string> names;
    for (const models::Architecture* architecture : models::architectures())
      names.emplace_back(architecture->name());
    print_names(names, kArchitectures);
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
