// What makes the prompts of a needle task, and the task around it: any maker with an answer to find
// has the same cells, requests, matchers and metrics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Which prompt is wanted. The same key gives the same prompt for the same tokenizer.
struct PromptKey {
  std::int64_t length_tokens = 0;  ///< of prompt and answer together
  std::optional<double> depth;
  std::uint64_t seed = 0;
  std::int64_t index = 0;  ///< of the sample
};

using MadePrompt = std::variant<AnsweredPrompt, Infeasible>;

/// Immutable; const methods may run concurrently.
class PromptMaker {
 public:
  virtual ~PromptMaker() = default;

  /// "ruler/niah_single_1": begins the ids of samples.
  [[nodiscard]] virtual std::string name() const = 0;
  /// What a table header says of the prompts.
  [[nodiscard]] virtual std::string summary() const = 0;
  /// Adds an implementation version, parameters and digests of the data.
  virtual void describe(Fingerprint& fingerprint) const = 0;
  [[nodiscard]] virtual Needed needed() const { return Needed::kAll; }
  /// The prompt without id and document_id, or why there is none.
  [[nodiscard]] virtual MadePrompt make(const PromptKey& key, const TextCodec& codec) const = 0;
};

struct PromptTaskSettings {
  std::string kind;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::vector<double> depths;         ///< a cell for each length and depth; empty: for each length
  std::int64_t samples = 0;           ///< of each cell
  std::string headline;               ///< a metric of summarize_answers()
};

/// The task. Its samples have the ids name/index at every length and depth, so that cells pair.
[[nodiscard]] std::unique_ptr<const Task> make_prompt_task(
    PromptTaskSettings settings, std::unique_ptr<const PromptMaker> maker);

/// Tokens to generate for an answer.
struct AnswerBudget {
  std::optional<std::int64_t> fixed;  ///< as said; absent: the answer's own tokens and 8 to 15 more
  std::int64_t at_least = 0;          ///< bounds the second case
};

/// Infeasible if the answer does not fit into what is fixed.
[[nodiscard]] std::variant<std::int64_t, Infeasible> new_tokens(const AnswerBudget& budget,
                                                                std::string_view continuation,
                                                                const TextCodec& codec);

}  // namespace yardstick::tasks
