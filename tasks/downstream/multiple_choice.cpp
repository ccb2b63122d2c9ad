#include "tasks/downstream/multiple_choice.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/downstream/choice_scoring.hpp"
#include "tasks/downstream/choice_summary.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/kinds.hpp"
#include "tasks/metrics/classification.hpp"
#include "tasks/partwise.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 3;  // raise it when the same parameters would give other numbers

/// A context and what is scored behind it.
struct Scored {
  std::string context;
  std::string choice;  ///< without the delimiter
};

// One for each choice: its own text behind the common context, or the one continuation behind its
// own context.
std::vector<Scored> scored_texts(const Question& question) {
  std::vector<Scored> out;
  if (question.contexts.empty()) {
    for (const std::string& choice : question.choices) out.push_back({question.context, choice});
  } else {
    for (const std::string& context : question.contexts) {
      out.push_back({context, question.targets.front()});
    }
  }
  return out;
}

class MultipleChoiceTask final : public Task, public PartwiseTask {
 public:
  explicit MultipleChoiceTask(MultipleChoiceParameters parameters)
      : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "multiple_choice"; }
  [[nodiscard]] std::string protocol() const override {
    return fmt::format("multiple_choice v{}: {}, log-likelihood, boundary {}, ties 1/k", kVersion,
                       parameters_.plan.protocol(), to_string(parameters_.boundary));
  }
  [[nodiscard]] Headline headline() const override { return parameters_.metrics.headline; }
  [[nodiscard]] std::vector<std::string> notes() const override { return parameters_.plan.notes(); }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return parameters_.plan.cells(lengths);
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override {
    return parameters_.plan.build(
        cell, context, [&](const Question& question) { return ask(question, context.codec); });
  }
  [[nodiscard]] std::vector<std::string> sample_ids(const BuildContext& context) const override {
    return parameters_.plan.sample_ids(context);
  }
  [[nodiscard]] Built build_part(const CellAxes& cell, const BuildContext& context,
                                 std::size_t first, std::size_t count) const override {
    return parameters_.plan.build_part(cell, context, first, count, [&](const Question& question) {
      return ask(question, context.codec);
    });
  }
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override {
    return summarize_choices(scores, parameters_.metrics, seed);
  }

 private:
  [[nodiscard]] std::variant<Asked, std::string> ask(const Question& question,
                                                     const TextCodec& codec) const;

  MultipleChoiceParameters parameters_;
};

void MultipleChoiceTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("boundary", to_string(parameters_.boundary))
      .add("unconditional",
           parameters_.unconditional ? "asked: " + parameters_.unconditional->text() : "");
  for (const std::string& name : parameters_.metrics.names) fingerprint.add("metric", name);
  parameters_.plan.describe(fingerprint);
}

std::variant<Asked, std::string> MultipleChoiceTask::ask(const Question& question,
                                                         const TextCodec& codec) const {
  const std::string& delimiter = parameters_.plan.questions().target_delimiter();
  const std::vector<Scored> texts = scored_texts(question);
  Asked asked;
  nlohmann::json choices = nlohmann::json::array();
  std::vector<std::int64_t> scored_bytes;
  std::vector<TokenId> tokens;
  const std::string* encoded = nullptr;  // the context whose ids `tokens` are
  for (const Scored& text : texts) {
    if (encoded == nullptr || *encoded != text.context) {
      tokens = codec.encode(text.context);
      encoded = &text.context;
    }
    std::optional<ScoredContinuation> scored =
        scored_continuation(EncodedContext{.text = text.context, .tokens = tokens},
                            delimiter + text.choice, parameters_.boundary, codec);
    if (!scored) return nothing_to_score(text.choice);
    choices.push_back({{"text", text.choice},
                       {"characters", count_code_points(text.choice)},
                       {"bytes", text.choice.size()}});
    scored_bytes.push_back(scored->bytes);
    asked.requests.push_back(std::move(scored->request));
  }
  if (parameters_.unconditional) {
    const std::string context = parameters_.unconditional->render(question.document);
    for (const Scored& text : texts) {
      std::optional<Request> request =
          continuation_request(context, delimiter + text.choice, parameters_.boundary, codec);
      if (!request) return nothing_to_score(text.choice);
      asked.requests.push_back(std::move(*request));
    }
  }
  asked.facts = {{"choices", std::move(choices)},
                 {"gold", question.gold},
                 {"gold_bytes", scored_bytes[static_cast<std::size_t>(question.gold.front())]}};
  return asked;
}

// The best right choice's log-likelihood minus the best wrong one's; nothing if all are right.
std::optional<double> margin_of(std::span<const ChoiceScore> scores,
                                std::span<const std::int64_t> gold) {
  std::optional<double> right;
  std::optional<double> wrong;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool is_gold =
        std::find(gold.begin(), gold.end(), static_cast<std::int64_t>(i)) != gold.end();
    std::optional<double>& best = is_gold ? right : wrong;
    best = std::max(best.value_or(scores[i].log_likelihood), scores[i].log_likelihood);
  }
  if (!right || !wrong) return std::nullopt;
  return *right - *wrong;
}

void add_values(std::span<const ChoiceScore> scores, std::span<const std::int64_t> gold,
                std::map<std::string, double>& values) {
  const auto add = [&](const NamedNormalization& one) {
    values[std::string(one.metric)] = judge(scores, gold, one.kind).credit;
  };
  std::for_each(kNormalizations.begin(), kNormalizations.end(), add);
  if (scores.front().unconditional) {
    std::for_each(kPmiNormalizations.begin(), kPmiNormalizations.end(), add);
  }
  const Verdict verdict = judge(scores, gold, Normalization::kSum);
  values["tie"] = verdict.best > 1 ? 1 : 0;
  values["prediction"] = static_cast<double>(verdict.prediction);
  values["gold"] = static_cast<double>(gold.front());
  values["brier_score"] = brier_score(choice_probabilities(scores), gold.front());
  values["gold_nll"] = -scores[static_cast<std::size_t>(gold.front())].log_likelihood;
  if (const std::optional<double> margin = margin_of(scores, gold)) values["margin"] = *margin;
}

SampleScore MultipleChoiceTask::score(const Sample& sample, std::span<const Response> responses,
                                      const TextCodec& /*codec*/) const {
  const nlohmann::json& choices = sample.facts.at("choices");
  const std::size_t count = choices.size();
  check(responses.size() == (parameters_.unconditional ? 2 : 1) * count,
        "each choice is one request behind each context");
  SampleScore score = score_of(sample);
  std::vector<Likelihood> likelihoods;
  for (const Response& response : responses) {
    const std::optional<Likelihood> likelihood = likelihood_of(response);
    if (!likelihood) return non_finite(std::move(score));
    likelihoods.push_back(*likelihood);
  }
  std::vector<ChoiceScore> scores;
  for (std::size_t i = 0; i < count; ++i) {
    nlohmann::json& details = score.details["choices"][i];
    scores.push_back({.log_likelihood = likelihoods[i].sum,
                      .unconditional = std::nullopt,
                      .characters = choices[i].at("characters").get<std::int64_t>(),
                      .bytes = choices[i].at("bytes").get<std::int64_t>(),
                      .tokens = likelihoods[i].tokens});
    details["log_likelihood"] = likelihoods[i].sum;
    details["tokens"] = likelihoods[i].tokens;
    if (responses.size() > count) {
      scores.back().unconditional = likelihoods[count + i].sum;
      details["unconditional"] = likelihoods[count + i].sum;
    }
  }
  const auto gold = sample.facts.at("gold").get<std::vector<std::int64_t>>();
  add_values(scores, gold, score.values);
  double& exact = score.values["exact_match"];
  for (const std::int64_t i : gold) {
    exact = std::max(exact, likelihoods[static_cast<std::size_t>(i)].greedy);
  }
  score.values["gold_bytes"] = sample.facts.at("gold_bytes").get<double>();
  return score;
}

}  // namespace

std::unique_ptr<const Task> multiple_choice_task(MultipleChoiceParameters parameters) {
  return std::make_unique<MultipleChoiceTask>(std::move(parameters));
}

std::unique_ptr<const Task> make_multiple_choice(Fields& fields, const TaskDefinition& definition) {
  MultipleChoiceParameters parameters{
      .plan = read_question_plan(fields, definition, OutputType::kMultipleChoice),
      .boundary = read_boundary(fields),
      .metrics = read_metric_list(fields, choice_metrics()),
      .unconditional = std::nullopt};
  const std::optional<std::string> unconditional = fields.optional_text("unconditional");
  if (parameters.metrics.has("acc_pmi") || parameters.metrics.has("acc_pmi_ratio")) {
    parameters.unconditional.emplace(unconditional.value_or(""), fields.where("unconditional"));
  } else if (unconditional) {
    throw fields.error("unconditional",
                       "only acc_pmi and acc_pmi_ratio compare with it; name one of them in "
                       "metric_list, or remove the key");
  }
  return multiple_choice_task(std::move(parameters));
}

}  // namespace yardstick::tasks
