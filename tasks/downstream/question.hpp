// One question of a task that is declared in YAML, rendered to text: what passes between the
// reading of a task's documents and the asking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
  /// Bytes of `context`, and of each of `contexts`: its description, and all that stands in front
  /// of the question itself (description, padding, worked examples).
  std::size_t description_bytes = 0;
  std::size_t question_begins_at = 0;

  /// The question itself; of several contexts, that of the first.
  [[nodiscard]] std::string_view own_text() const {
    const std::string_view whole = contexts.empty() ? context : contexts.front();
    return whole.substr(question_begins_at);
  }
};

}  // namespace yardstick::tasks
