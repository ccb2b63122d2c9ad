#include "tasks/needle/answered_prompt.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/metrics/match.hpp"
#include "tasks/metrics/mean_metric.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr std::size_t kTailBytes = 240;

std::string tail_of(const std::string& text) {
  std::size_t begin = text.size() > kTailBytes ? text.size() - kTailBytes : 0;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U) ++begin;
  return text.substr(begin);
}

// The share of the answers that stand in the output as words of their own, or 1 for any of them.
double strict_share(std::string_view output, std::span<const std::string> answers, Needed needed) {
  const auto found = std::count_if(answers.begin(), answers.end(), [&](const std::string& answer) {
    return contains_token(output, answer);
  });
  if (needed == Needed::kAny) return found > 0 ? 1.0 : 0.0;
  return static_cast<double>(found) / static_cast<double>(answers.size());
}

}  // namespace

Sample make_answer_sample(AnsweredPrompt prompt, const TextCodec& codec) {
  check(!prompt.answers.empty() && !prompt.continuation.empty(),
        "an answered prompt has an answer and a continuation");
  check(std::none_of(prompt.answers.begin(), prompt.answers.end(),
                     [](const std::string& answer) { return answer.empty(); }),
        "an empty answer stands in every output");
  std::optional<Request> right =
      continuation_request(EncodedContext{.text = prompt.text, .tokens = prompt.tokens},
                           prompt.continuation, Boundary::kJoint, codec);
  check(right.has_value(), "an answer behind a prompt has a token to score");
  Request generate{.tokens = codec.window_prefix(), .max_new_tokens = prompt.max_new_tokens};
  generate.tokens.insert(generate.tokens.end(), prompt.tokens.begin(), prompt.tokens.end());
  generate.score_from = std::ssize(generate.tokens);
  generate.stop_tokens = codec.end_of_generation();
  Sample sample{.id = std::move(prompt.id),
                .document_id = std::move(prompt.document_id),
                .requests = {},
                .facts = std::move(prompt.facts)};
  sample.facts["answers"] = std::move(prompt.answers);
  sample.facts["prompt_tail"] = tail_of(prompt.text);
  sample.facts["prompt_tokens"] = generate.tokens.size();
  sample.facts["answer_tokens"] = std::ssize(right->tokens) - right->score_from;
  sample.requests.push_back(std::move(generate));
  sample.requests.push_back(*std::move(right));
  return sample;
}

SampleScore score_answer(const Sample& sample, std::span<const Response> responses,
                         const TextCodec& codec, Needed needed) {
  check(responses.size() == 2, "an answer's sample is two requests");
  const Response& generated = responses[0];
  SampleScore score = score_of(sample);
  for (const char* const name : {"prompt_tokens", "answer_tokens"}) {
    score.values[name] = sample.facts.at(name).get<double>();
  }
  const std::optional<Likelihood> right = likelihood_of(responses[1]);
  if (generated.status != ResponseStatus::kOk || !right) return non_finite(std::move(score));
  const std::string output = codec.decode(generated.generated);
  const auto answers = sample.facts.at("answers").get<std::vector<std::string>>();
  score.details["generated"] = output;
  score.values["exact_match"] = right->greedy;
  score.values["strict_match"] = strict_share(output, answers, needed);
  score.values["ruler_match"] =
      needed == Needed::kAll ? ruler_all(output, answers) : ruler_any(output, answers);
  score.values["answer_nll"] = -right->sum;
  return score;
}

std::vector<MetricValue> summarize_answers(std::span<const SampleScore> scores) {
  std::vector<const SampleScore*> sound;
  for (const SampleScore& score : scores) {
    if (score.status == SampleStatus::kOk) sound.push_back(&score);
  }
  if (sound.empty()) return {};
  const auto column = [&](const std::string& name) {
    std::vector<double> values;
    for (const SampleScore* const score : sound) values.push_back(score->values.at(name));
    return values;
  };
  std::vector<MetricValue> metrics;
  for (const char* const name : {"strict_match", "ruler_match", "exact_match"}) {
    metrics.push_back(share_metric(name, column(name)));
  }
  const std::vector<double> losses = column("answer_nll");
  const std::vector<double> tokens = column("answer_tokens");
  std::vector<double> per_token;
  for (std::size_t i = 0; i < losses.size(); ++i) per_token.push_back(losses[i] / tokens[i]);
  metrics.push_back(mean_metric("answer_nll", losses, kNatsMeaning));
  metrics.push_back(mean_metric("answer_nll_per_token", per_token, kNatsMeaning));
  metrics.push_back(mean_metric("prompt_tokens", column("prompt_tokens"), kTokensMeaning));
  return metrics;
}

}  // namespace yardstick::tasks
