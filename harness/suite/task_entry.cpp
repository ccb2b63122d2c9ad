#include "harness/suite/task_entry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "harness/suite/include.hpp"

namespace yardstick::harness {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kQuestionKinds = {
    "multiple_choice", "loglikelihood", "loglikelihood_rolling", "generate_until"};

/// Whether the task is one of questions in templates, which may have worked examples.
bool has_questions(const json& values) {
  for (const char* const key : {"kind", "output_type"}) {
    if (!values.contains(key) || !values[key].is_string()) continue;
    const auto& kind = values[key].get_ref<const std::string&>();
    return std::find(kQuestionKinds.begin(), kQuestionKinds.end(), kind) != kQuestionKinds.end();
  }
  // Without either key it is generate_until, or no task at all.
  return values.contains("doc_to_text") || values.contains("doc_to_target");
}

/// The name of an entry that gives none: what its file calls the task.
std::string default_name(const Located& merged) {
  const json& values = merged.values();
  if (values.contains("task") && values["task"].is_string()) return values["task"];
  return {};
}

SuiteTask make_entry(Located merged, const TaskDefaults& defaults, const std::string& place) {
  if (merged.values().is_object() && !merged.values().contains("name")) {
    if (std::string name = default_name(merged); !name.empty()) {
      merged.values()["name"] = std::move(name);
      merged.mark("/name", merged.where("/task"), merged.where_key("/task"));
    }
  }
  SuiteTask task;
  task.place = place;
  Fields fields(merged, "", "a task");
  task.definition.name = fields.text("name");
  task.lengths = read_lengths(fields);
  if (task.lengths.empty()) task.lengths = defaults.lengths;
  if (!defaults.forced_lengths.empty()) {
    task.lengths = defaults.forced_lengths;
    nlohmann::json& values = merged.values();
    if (values.contains("stretch") && values["stretch"].is_object())
      values["stretch"].erase("lengths");
  }
  if (defaults.num_fewshot && has_questions(merged.values())) {
    merged.values()["num_fewshot"] = *defaults.num_fewshot;
    merged.mark("/num_fewshot", "--num-fewshot", "--num-fewshot");
  }
  // The task reads the rest itself; these two keys are the suite's.
  merged.values().erase("name");
  merged.values().erase("lengths");
  task.definition.parameters = std::move(merged);
  task.definition.base = defaults.base;
  task.definition.data_folders = defaults.data_folders;
  return task;
}

std::vector<FoundTask> find_tasks(const std::string& name, const TaskDefaults& defaults,
                                  const std::string& place) {
  try {
    return defaults.library.find(name, defaults.base);
  } catch (const Error& error) {
    throw error.within(place);
  }
}

}  // namespace

std::vector<std::int64_t> read_lengths(Fields& fields) {
  std::vector<std::int64_t> lengths = fields.lengths("lengths");
  std::vector<std::int64_t> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw fields.error("lengths", fmt::format("{} stands twice", format_length(*twice)));
  }
  return lengths;
}

std::vector<SuiteTask> read_tasks(Fields& suite, const TaskDefaults& defaults) {
  std::vector<SuiteTask> tasks;
  const Located& located = suite.located();
  for (const std::string& pointer : suite.elements("tasks")) {
    const Located entry = located.at(pointer);
    const std::string place = located.where(pointer);
    if (!entry.values().is_string()) {
      Located merged = merge_include(entry, defaults.base, defaults.library);
      tasks.push_back(make_entry(std::move(merged), defaults, place));
      continue;
    }
    for (const FoundTask& found : find_tasks(entry.values().get<std::string>(), defaults, place)) {
      Located file = read_task_file(found.file, defaults.base, defaults.library);
      file.values()["name"] = found.name;
      file.mark("/name", place, place);
      tasks.push_back(make_entry(std::move(file), defaults, place));
    }
  }
  return tasks;
}

}  // namespace yardstick::harness
