#include "cli/commands/selection.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/model_arguments.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "core/text.hpp"

namespace yardstick::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLongestName = 120;  // a file name holds 255 bytes, with its ending

/// The file's path from the current folder, or the whole one if it lies elsewhere.
fs::path told_apart(const fs::path& written) {
  const fs::path whole = fs::absolute(written).lexically_normal();
  const fs::path near = whole.lexically_relative(fs::current_path());
  return near.empty() || *near.begin() == ".." ? whole.relative_path() : near;
}

/// "./my_task.yaml" -> "my_task", "a/default.yaml" -> "a_default", "ruler/vt" -> "ruler_vt": a file
/// name for the results, another one for each file.
std::string suite_name(const std::vector<std::string>& tasks) {
  if (tasks.size() != 1) return "tasks";
  const fs::path written = tasks.front();
  const bool is_file = written.extension() == ".yaml" || written.extension() == ".yml";
  std::string name = is_file ? told_apart(written).replace_extension().string() : tasks.front();
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  if (name.size() <= kLongestName) return name;
  return Fingerprint().add("tasks", tasks.front()).hex().substr(0, 12) + "_" +
         name.substr(name.size() - kLongestName);
}

}  // namespace

Located suite_of(const Selection& selection) {
  json values = {
      {"name", suite_name(selection.tasks)}, {"models", json::array()}, {"tasks", selection.tasks}};
  for (const NamedModel& named : named_models(selection.models)) {
    json model = {{"path", named.path.string()}};
    if (named.name) model["name"] = *named.name;
    if (selection.position) model["position"] = parse_json(*selection.position, "--position");
    if (selection.bos) model["bos"] = *selection.bos;
    values["models"].push_back(std::move(model));
  }
  if (selection.seed) values["seed"] = *selection.seed;
  if (selection.dtype) values["dtype"] = *selection.dtype;
  Located suite(std::move(values), "the command line");
  for (const char* const key : {"models", "tasks", "seed", "dtype"}) {
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
