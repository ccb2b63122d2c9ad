#include "cli/commands/selection.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// "./my_task.yaml" -> "my_task", "ruler/vt" -> "ruler_vt": a file name for the results.
std::string suite_name(const std::vector<std::string>& tasks) {
  if (tasks.size() != 1) return "tasks";
  const fs::path written = tasks.front();
  const bool is_file = written.extension() == ".yaml" || written.extension() == ".yml";
  std::string name = is_file ? written.stem().string() : tasks.front();
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return name;
}

}  // namespace

Located suite_of(const Selection& selection) {
  json values = {
      {"name", suite_name(selection.tasks)}, {"models", json::array()}, {"tasks", selection.tasks}};
  for (const std::string& model : selection.models) values["models"].push_back({{"path", model}});
  if (selection.seed) values["seed"] = *selection.seed;
  Located suite(std::move(values), "the command line");
  for (const char* const key : {"models", "tasks", "seed"}) {
    const std::string option =
        std::string("--") + (std::string_view(key) == "models" ? "model" : key);
    suite.mark(std::string("/") + key, option, option);
  }
  return suite;
}

std::vector<std::int64_t> lengths_of(const Selection& selection) {
  std::vector<std::int64_t> lengths;
  for (const std::string& text : selection.lengths) {
    const std::optional<std::int64_t> length = parse_length(text);
    if (!length) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("--lengths: found '{}', expected lengths in tokens like 512, 4k, "
                              "131_072 or 1e6",
                              text));
    }
    if (std::find(lengths.begin(), lengths.end(), *length) != lengths.end())
      throw Error(ErrorKind::kConfig, fmt::format("--lengths: {} stands twice", text));
    lengths.push_back(*length);
  }
  return lengths;
}

std::string describe_cell(const tasks::CellAxes& cell) {
  std::string text;
  if (cell.length_tokens) text += fmt::format(", length {}", *cell.length_tokens);
  if (cell.depth) text += fmt::format(", depth {:g}", *cell.depth);
  if (!cell.variant.empty()) text += ", " + cell.variant;
  return text;
}

harness::SuiteOverrides with_selection(harness::SuiteOverrides overrides,
                                       const Selection& selection) {
  overrides.num_fewshot = selection.num_fewshot;
  overrides.lengths = lengths_of(selection);
  overrides.task_folders = selection.task_folders;
  overrides.data_folders = selection.data_folders;
  overrides.haystack = selection.haystack;
  overrides.questions = selection.questions;
  return overrides;
}

}  // namespace yardstick::cli
