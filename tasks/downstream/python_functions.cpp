#include "tasks/downstream/python_functions.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace yardstick::tasks {
namespace {

constexpr std::string_view kTag = "!function";

// What says the same without Python, by the key (at any depth) that names the function.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kAdvice = {
    {{"process_docs",
      "a list of transforms (set, replace, filter, rename, explode), such as `process_docs: [{set: "
      "{query: \"{{ctx_a}} {{ctx_b}}\"}}]`"},
     {"doc_to_text", "a template, such as `doc_to_text: \"Question: {{question}}\\nAnswer:\"`"},
     {"doc_to_target",
      "a field's name, an index or a template, such as `doc_to_target: "
      "\"{{choices.label.index(answerKey)}}\"`"},
     {"doc_to_choice",
      "a field's name, a list or a template that gives a list, such as "
      "`doc_to_choice: \"{{choices.text}}\"`"},
     {"doc_to_decontamination_query", "nothing: the key is not used here"},
     {"process_results",
      "`metric_list` with the names of metrics, and `filter_list` where the "
      "answer is cut out of the generated text"},
     {"metric", "the name of a metric"},
     {"aggregation", "the name of an aggregation, such as mean"},
     {"samples", "a list of records, such as `samples: [{question: ..., answer: ...}]`"},
     {"description", "a template"},
     {"gen_prefix", "a template"}}};

std::string_view advice_for(std::string_view key) {
  for (const auto& [name, advice] : kAdvice) {
    if (name == key) return advice;
  }
  return "a value: a name, a number or a template";
}

void refuse_at(const Located& parameters, const nlohmann::json::json_pointer& at,
               std::string_view key, const nlohmann::json& value) {
  if (value.is_object() && value.size() == 1 && value.contains(kTag)) {
    const std::string where = parameters.where(at.to_string());
    throw Error(ErrorKind::kConfig,
                fmt::format("{}: {}: calls the Python function '{}', and Python is never run here; "
                            "write {} (docs/tasks/yaml.md)",
                            where, key, value.begin()->get<std::string>(), advice_for(key)));
  }
  if (value.is_object()) {
    for (const auto& [name, child] : value.items()) refuse_at(parameters, at / name, name, child);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) refuse_at(parameters, at / i, key, value[i]);
  }
}

}  // namespace

void refuse_python_functions(const Located& parameters) {
  refuse_at(parameters, nlohmann::json::json_pointer(), "", parameters.values());
}

}  // namespace yardstick::tasks
