#include "tasks/downstream/loglikelihood.hpp"

#include <array>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/kinds.hpp"
#include "tasks/metrics/mean_metric.hpp"
#include "tasks/metrics/ratio.hpp"
#include "tasks/partwise.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 2;  // raise it when the same parameters would give other numbers

using Better = Task::Headline::Better;
constexpr std::array<KnownMetric, 5> kKnown = {{
    {"acc", "acc", "mean"},
    {"perplexity", "perplexity", "perplexity", Better::kLower},
    {"token_perplexity", "token_perplexity", "weighted_perplexity", Better::kLower},
    {"nll_per_token", "nll_per_token", "mean", Better::kLower},
    {"bits_per_byte", "bits_per_byte", "bits_per_byte", Better::kLower},
}};

class LoglikelihoodTask final : public Task, public PartwiseTask {
 public:
  explicit LoglikelihoodTask(LoglikelihoodParameters parameters)
      : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "loglikelihood"; }
  [[nodiscard]] std::string protocol() const override {
    return fmt::format("loglikelihood v{}: {}, target behind context, boundary {}", kVersion,
                       parameters_.plan.protocol(), to_string(parameters_.boundary));
  }
  [[nodiscard]] Headline headline() const override { return parameters_.metrics.headline; }
  [[nodiscard]] std::vector<std::string> notes() const override { return parameters_.plan.notes(); }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return parameters_.plan.cells(lengths);
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("task.kind", kind())
        .add("task.implementation", kVersion)
        .add("boundary", to_string(parameters_.boundary));
    parameters_.plan.describe(fingerprint);
  }
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
                                                   std::uint64_t seed) const override;

 private:
  [[nodiscard]] std::variant<Asked, std::string> ask(const Question& question,
                                                     const TextCodec& codec) const {
    const std::string& target = question.targets.front();
    const std::vector<TokenId> tokens = codec.encode(question.context);
    std::optional<ScoredContinuation> scored =
        scored_continuation(EncodedContext{.text = question.context, .tokens = tokens}, target,
                            parameters_.boundary, codec);
    if (!scored) return nothing_to_score(target);
    return Asked{.requests = {std::move(scored->request)},
                 .facts = {{"target", target}, {"bytes", scored->bytes}}};
  }

  LoglikelihoodParameters parameters_;
};

SampleScore LoglikelihoodTask::score(const Sample& sample, std::span<const Response> responses,
                                     const TextCodec& /*codec*/) const {
  check(responses.size() == 1, "a target is one request");
  SampleScore score = score_of(sample);
  const std::optional<Likelihood> likelihood = likelihood_of(responses.front());
  if (!likelihood) return non_finite(std::move(score));
  score.values = {{"acc", likelihood->greedy},
                  {"sum_nll", -likelihood->sum},
                  {"tokens", static_cast<double>(likelihood->tokens)},
                  {"bytes", sample.facts.at("bytes").get<double>()}};
  return score;
}

std::vector<MetricValue> LoglikelihoodTask::aggregate(std::span<const SampleScore> scores,
                                                      std::uint64_t seed) const {
  const std::vector<double> nll = values_of(scores, "sum_nll");
  if (nll.empty()) return {};
  const std::vector<double> tokens = values_of(scores, "tokens");
  std::vector<double> bits = nll;
  for (double& value : bits) value /= std::numbers::ln2;
  const std::vector<double> targets(nll.size(), 1.0);
  MetricValue bits_per_byte = ratio_metric("bits_per_byte", bits, values_of(scores, "bytes"), seed);
  bits_per_byte.meaning = kBitsMeaning;
  const MetricValue nll_per_token = ratio_metric("nll_per_token", nll, tokens, seed);
  return {share_metric("acc", values_of(scores, "acc")),
          exp_of("perplexity", ratio_metric("nll_per_target", nll, targets, seed)),
          exp_of("token_perplexity", nll_per_token), nll_per_token, std::move(bits_per_byte)};
}

}  // namespace

std::unique_ptr<const Task> loglikelihood_task(LoglikelihoodParameters parameters) {
  return std::make_unique<LoglikelihoodTask>(std::move(parameters));
}

std::unique_ptr<const Task> make_loglikelihood(Fields& fields, const TaskDefinition& definition) {
  return loglikelihood_task(
      {.plan = read_question_plan(fields, definition, OutputType::kLoglikelihood),
       .boundary = read_boundary(fields),
       .metrics = read_metric_list(fields, kKnown)});
}

}  // namespace yardstick::tasks
