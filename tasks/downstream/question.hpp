// One question of a task that is declared in YAML, rendered to text: what passes between the
// reading of a task's documents and the asking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace yardstick::tasks {

/// What is asked of the model; the names are lm-evaluation-harness's `output_type`.
enum class OutputType {
  kMultipleChoice,        ///< log-likelihood of each choice
  kLoglikelihood,         ///< log-likelihood of the target, and whether it is the greedy one
  kLoglikelihoodRolling,  ///< log-likelihood of the whole text
  kGenerateUntil,         ///< greedy text up to a stop text
};

struct Question {
  std::string id;                   ///< "line-000012": unique in the data
  nlohmann::ordered_json document;  ///< the record, after process_docs
  std::string context;              ///< description, worked examples, the question
  /// In place of `context` where each choice has a context of its own and `targets.front()` is the
  /// continuation of all (WinoGrande): one for each of `choices`. Else empty.
  std::vector<std::string> contexts;
  std::vector<std::string> choices;  ///< without the delimiter; multiple choice alone
  std::vector<std::int64_t> gold;    ///< indices of the right choices, at least one
  std::vector<std::string>
      targets;           ///< right answers, the first is the one whose likelihood counts
  std::string category;  ///< empty if the task names no category
};

}  // namespace yardstick::tasks
