#include "tasks/downstream/python_functions.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr std::string_view kTag = "!function";
constexpr std::string_view kUnused = "doc_to_decontamination_query";

/// What says the same without Python as a key (at any depth) that names a function.
struct Advice {
  std::string_view key;
  std::string_view kind;  ///< of task; empty: any
  std::string_view text;
};

// The first that fits is taken.
constexpr std::array<Advice, 20> kAdvice = {
    {{"process_docs", "",
      "write a list of transforms (set, replace, filter, rename, explode), such as `process_docs: "
      "[{set: {query: \"{{ctx_a}} {{ctx_b}}\"}}]`"},
     {"doc_to_text", "loglikelihood_rolling",
      "leave the key out: the text that is scored is `doc_to_target`"},
     {"doc_to_text", "", "write a template, such as `\"Question: {{question}}\\nAnswer:\"`"},
     {"doc_to_target", "multiple_choice",
      "write a field's name, an index or a template, such as "
      "`\"{{choices.label.index(answerKey)}}\"`"},
     {"doc_to_target", "", "write a field's name or a template, such as `\"{{answer}}\"`"},
     {"doc_to_choice", "multiple_choice",
      "write a field's name, a list or a template that gives a list, such as "
      "`\"{{choices.text}}\"`"},
     {"doc_to_choice", "", "leave the key out: only multiple_choice has choices"},
     {"doc_to_image", "", "nothing says the same: tasks ask about text alone"},
     {"doc_to_audio", "", "nothing says the same: tasks ask about text alone"},
     {"process_results", "generate_until",
      "write a metric of `metric_list`, such as exact_match, and a `filter_list` where the answer "
      "is a part of the generated text"},
     {"process_results", "", "write a metric of `metric_list`, such as acc or perplexity"},
     {"metric", "", "write the name of a metric"},
     {"aggregation", "", "write the name of an aggregation, such as mean, or leave the key out"},
     {"function", "", "write the name of a filter, such as regex or take_first"},
     {"filter_fn", "", "write a filter, such as `{function: regex, regex_pattern: \"...\"}`"},
     {"samples", "", "write a list of records, such as `samples: [{question: ..., answer: ...}]`"},
     {"custom_dataset", "", "write the data to a file and name it: `data: FILE`"},
     {"description", "", "write a template"},
     {"gen_prefix", "", "write a template"},
     {"class", "", "write the task with the keys of a question task"}}};

std::string_view advice_for(std::string_view key, std::string_view kind) {
  for (const Advice& advice : kAdvice) {
    if (advice.key == key && (advice.kind.empty() || advice.kind == kind)) return advice.text;
  }
  return "write a value: a name, a number or a template";
}

/// The kind as it is written; lm-evaluation-harness's own where none is.
std::string kind_of(const nlohmann::json& task) {
  for (const char* const key : {"kind", "output_type"}) {
    if (task.contains(key) && task[key].is_string()) return task[key];
  }
  return "generate_until";
}

class FunctionFinder {
 public:
  explicit FunctionFinder(const Located& parameters)
      : parameters_(parameters), kind_(kind_of(parameters.values())) {}

  void look_at(const nlohmann::json::json_pointer& at, std::string_view key,
               const nlohmann::json& value) {
    if (key == kUnused) return;
    if (value.is_object() && value.size() == 1 && value.contains(kTag)) {
      found_ += fmt::format("{}{}: {}: calls the Python function '{}'; {}",
                            found_.empty() ? "" : "\n", parameters_.where(at.to_string()), key,
                            value.begin()->get<std::string>(), advice_for(key, kind_));
    } else if (value.is_object()) {
      for (const auto& [name, child] : value.items()) look_at(at / name, name, child);
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) look_at(at / i, key, value[i]);
    }
  }

  /// A line for each function.
  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  const Located& parameters_;
  std::string kind_;
  std::string found_;
};

}  // namespace

void refuse_python_functions(const Located& parameters) {
  if (!parameters.values().is_object()) return;
  FunctionFinder finder(parameters);
  finder.look_at(nlohmann::json::json_pointer(), "", parameters.values());
  if (finder.found().empty()) return;
  throw Error(ErrorKind::kConfig,
              finder.found() + "\nPython is never run here (docs/tasks/yaml.md)");
}

}  // namespace yardstick::tasks
