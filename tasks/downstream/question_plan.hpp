// Which questions a cell asks, at which length: what the output types have in common. What is asked
// about a question is theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/fields.hpp"
#include "core/hash.hpp"
#include "tasks/build_each.hpp"
#include "tasks/downstream/question_set.hpp"
#include "tasks/downstream/stretch.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// The requests about one question, and the facts that score() needs.
struct Asked {
  std::vector<Request> requests;
  nlohmann::json facts;
};

/// What an output type makes of a question, or why it cannot be asked.
using AskQuestion = std::function<std::variant<Asked, std::string>(const Question&)>;

/// Tokens of the longest request with all that it may generate.
[[nodiscard]] std::int64_t longest_tokens(std::span<const Request> requests);

/// Immutable and thread-safe.
class QuestionPlan {
 public:
  QuestionPlan(std::shared_ptr<const QuestionSet> questions, std::optional<Stretch> stretch,
               std::optional<std::int64_t> max_length_tokens);

  [[nodiscard]] const QuestionSet& questions() const { return *questions_; }

  /// One cell without axes; stretched, one as variant "unstretched" and one for each length.
  /// @throws Error(kConfig) for a stretch without lengths.
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const;

  void describe(Fingerprint& fingerprint) const;

  [[nodiscard]] std::vector<std::string> notes() const { return questions_->notes(); }

  /// "3-shot", and how questions are stretched.
  [[nodiscard]] std::string protocol() const;

  /// The samples of a cell: one for each chosen question, its id the question's, so that cells of
  /// all lengths pair. To what `ask` gives, the facts add prompt (as it stands without stretching),
  /// category, length_tokens and, stretched, stretch, prompt_head, prompt_tail (of the prompt that
  /// is asked; of several contexts, the first) and question_begins_at (its byte). Skipped is what
  /// `ask` cannot ask, what is longer than max_length and what cannot be stretched to the cell's
  /// length.
  [[nodiscard]] Task::Built build(const CellAxes& cell, const BuildContext& context,
                                  const AskQuestion& ask) const;

  /// For PartwiseTask.
  [[nodiscard]] std::vector<std::string> sample_ids(const BuildContext& context) const;
  [[nodiscard]] Task::Built build_part(const CellAxes& cell, const BuildContext& context,
                                       std::size_t first, std::size_t count,
                                       const AskQuestion& ask) const;

 private:
  [[nodiscard]] std::vector<std::size_t> chosen(const BuildContext& context) const;
  /// What is the same for all samples of a cell.
  struct Setting {
    const AskQuestion& ask;
    const Stretcher* stretcher = nullptr;  ///< none: questions as they stand
    std::int64_t length_tokens = 0;
    std::uint64_t seed = 0;
  };
  [[nodiscard]] BuiltSample make_sample(std::size_t i, const Setting& setting) const;

  std::shared_ptr<const QuestionSet> questions_;
  std::optional<Stretch> stretch_;
  std::optional<std::int64_t> max_length_tokens_;
};

/// Reads the keys of the question set, `stretch` and `max_length`.
[[nodiscard]] QuestionPlan read_question_plan(Fields& fields, const TaskDefinition& definition,
                                              OutputType type);

}  // namespace yardstick::tasks
