// What all needle tasks share once their prompt stands: the two requests (generate, and score the
// right answer), the matchers side by side, and the metrics of a cell.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// How many of the right answers an output has to hold.
enum class Needed {
  kAll,  ///< the share that it holds counts (retrieval of several values)
  kAny,  ///< one is enough (several spellings of one answer)
};

/// A sized prompt with its answers.
struct AnsweredPrompt {
  std::string id;
  std::string document_id;           ///< samples of one document are resampled together
  std::string text;                  ///< ends where the answer begins
  std::vector<TokenId> tokens;       ///< encode(text), without the window's prefix
  std::vector<std::string> answers;  ///< right ones, at least one, none empty
  /// The whole right continuation, whose likelihood is taken: " 12, 17, and 40".
  std::string continuation;
  std::int64_t max_new_tokens = 0;
  nlohmann::json facts = nlohmann::json::object();  ///< target_tokens, needle tokens, depth, ...
};

/// The sample: requests [generate greedily up to the end of text, score `continuation`].
/// Adds to the facts: answers, prompt_tail, prompt_tokens (with the window's prefix),
/// answer_tokens.
[[nodiscard]] Sample make_answer_sample(AnsweredPrompt prompt, const TextCodec& codec);

/// Values of a sample, each from 0 to 1 unless said otherwise:
/// - exact_match: greedy decoding gives `continuation` (each of its tokens is the likeliest one);
/// - strict_match: contains_token() of the answers: their share, or 1 for any;
/// - ruler_match: ruler_all() or ruler_any();
/// - answer_nll: loss of `continuation` in nats; answer_tokens: its tokens; prompt_tokens.
[[nodiscard]] SampleScore score_answer(const Sample& sample, std::span<const Response> responses,
                                       const TextCodec& codec, Needed needed);

/// strict_match, ruler_match, exact_match, answer_nll, answer_nll_per_token and the mean
/// prompt_tokens, in this order; Wilson intervals for the three matches.
[[nodiscard]] std::vector<MetricValue> summarize_answers(std::span<const SampleScore> scores);

}  // namespace yardstick::tasks
