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

constexpr std::array<std::string_view, 3> kQuestionKinds = {"multiple_choice", "loglikelihood",
                                                            "generate_until"};

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

/// Whether the task hides something in a text of the user's choice.
bool takes_haystack(const json& values) {
  const std::string kind = values.value("kind", "");
  if (kind == "ruler") return values.value("type_haystack", "") == "essay";
  return kind == "niah" || kind == "babilong" || values.contains("haystack");
}

bool takes_questions(const json& values) {
  return values.value("kind", "") == "ruler" && values.contains("task") &&
         values["task"].is_string() &&
         values["task"].get_ref<const std::string&>().find("qa_") != std::string::npos;
}

void put_file(Located& merged, const std::string& key, const std::filesystem::path& file,
              const std::string& option) {
  merged.values()[key] = std::filesystem::absolute(file).lexically_normal().string();
  merged.mark("/" + key, option, option);
}

/// The files of the command line, to the tasks that take them.
void put_files(Located& merged, const TaskDefaults& defaults) {
  if (!merged.values().is_object()) return;
  if (!defaults.haystack.empty() && takes_haystack(merged.values())) {
    put_file(merged, "haystack", defaults.haystack, "--haystack");
  }
  if (!defaults.questions.empty() && takes_questions(merged.values())) {
    put_file(merged, "data", defaults.questions, "--qa");
  }
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
  if (!task.lengths.empty()) {
    task.lengths_from = LengthsFrom::kEntry;
  } else if (!defaults.lengths.empty()) {
    task.lengths = defaults.lengths;
    task.lengths_from = LengthsFrom::kSuite;
  }
  if (!defaults.forced_lengths.empty()) {
    task.lengths_from = LengthsFrom::kCommandLine;
    task.lengths = defaults.forced_lengths;
    nlohmann::json& values = merged.values();
    if (values.contains("stretch") && values["stretch"].is_object())
      values["stretch"].erase("lengths");
  }
  if (defaults.num_fewshot && has_questions(merged.values())) {
    merged.values()["num_fewshot"] = *defaults.num_fewshot;
    merged.mark("/num_fewshot", "--num-fewshot", "--num-fewshot");
  }
  put_files(merged, defaults);
  // The task reads the rest itself; these two keys are the suite's.
  merged.values().erase("name");
  merged.values().erase("lengths");
  task.definition.parameters = std::move(merged);
  task.definition.base = defaults.base;
  task.definition.data_folders = defaults.data_folders;
  return task;
}

bool is_marked(const SuiteTask& task, const char* key, std::string_view option) {
  return task.definition.parameters.values().contains(key) &&
         task.definition.parameters.where(std::string("/") + key) == option;
}

/// An option of the command line that no task takes is refused; tasks that do not take
/// --num-fewshot while others do are noted.
void check_options(std::vector<SuiteTask>& tasks, const TaskDefaults& defaults) {
  const auto taken = [&](const char* key, std::string_view option) {
    return std::any_of(tasks.begin(), tasks.end(),
                       [&](const SuiteTask& task) { return is_marked(task, key, option); });
  };
  const auto refuse = [](std::string_view option, std::string_view what) {
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: none of the tasks {}; leave the option out", option, what));
  };
  if (tasks.empty()) return;
  if (!defaults.haystack.empty() && !taken("haystack", "--haystack"))
    refuse("--haystack", "hides anything in a text");
  if (!defaults.questions.empty() && !taken("data", "--qa"))
    refuse("--qa", "is one of RULER's qa tasks");
  if (!defaults.num_fewshot) return;
  if (!taken("num_fewshot", "--num-fewshot")) refuse("--num-fewshot", "has worked examples");
  for (SuiteTask& task : tasks) {
    if (is_marked(task, "num_fewshot", "--num-fewshot")) continue;
    task.notes.push_back(
        fmt::format("--num-fewshot: the task '{}' has no worked examples; it runs "
                    "as it is",
                    task.definition.name));
  }
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
      tasks.back().notes = found.notes;
    }
  }
  check_options(tasks, defaults);
  return tasks;
}

}  // namespace yardstick::harness
