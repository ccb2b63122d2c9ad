#include "tasks/downstream/loglikelihood_rolling.hpp"

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/data/words.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/kinds.hpp"
#include "tasks/partwise.hpp"
#include "tasks/perplexity/protocols/rolling.hpp"
#include "tasks/perplexity/summary.hpp"
#include "tasks/perplexity/window_sample.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers

using Better = Task::Headline::Better;
constexpr std::array<KnownMetric, 5> kKnown = {{
    {"word_perplexity", "word_perplexity", "weighted_perplexity", Better::kLower},
    {"byte_perplexity", "byte_perplexity", "weighted_perplexity", Better::kLower},
    {"bits_per_byte", "bits_per_byte", "bits_per_byte", Better::kLower},
    {"perplexity", "perplexity", "weighted_perplexity", Better::kLower},
    {"nll_per_token", "nll_per_token", "mean", Better::kLower},
}};

class LoglikelihoodRollingTask final : public Task, public PartwiseTask {
 public:
  explicit LoglikelihoodRollingTask(LoglikelihoodRollingParameters parameters)
      : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "loglikelihood_rolling"; }
  [[nodiscard]] std::string protocol() const override {
    return fmt::format(
        "loglikelihood_rolling v{}: each text alone, {}; words are parts between white space",
        kVersion, parameters_.windows->text());
  }
  [[nodiscard]] Headline headline() const override { return parameters_.metrics.headline; }
  [[nodiscard]] std::vector<std::string> notes() const override { return parameters_.plan.notes(); }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    std::vector<CellAxes> out;
    for (const std::int64_t length : lengths) out.push_back({.length_tokens = length});
    return out;
  }
  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add("task.kind", kind()).add("task.implementation", kVersion);
    parameters_.windows->describe(fingerprint);
    parameters_.plan.describe(fingerprint);
  }
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override {
    return parameters_.plan.build(CellAxes{}, context, [&](const Question& question) {
      return ask(question, cell, context.codec);
    });
  }
  [[nodiscard]] std::vector<std::string> sample_ids(const BuildContext& context) const override {
    return parameters_.plan.sample_ids(context);
  }
  [[nodiscard]] Built build_part(const CellAxes& cell, const BuildContext& context,
                                 std::size_t first, std::size_t count) const override {
    return parameters_.plan.build_part(
        CellAxes{}, context, first, count,
        [&](const Question& question) { return ask(question, cell, context.codec); });
  }
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& /*codec*/) const override {
    return score_windows(sample, responses, Positions::kBuckets);
  }
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override {
    return summarize_losses(scores, {.documents = SummaryPlan::Documents::kSeparate}, seed);
  }

 private:
  [[nodiscard]] std::variant<Asked, std::string> ask(const Question& question, const CellAxes& cell,
                                                     const TextCodec& codec) const;

  LoglikelihoodRollingParameters parameters_;
};

std::variant<Asked, std::string> LoglikelihoodRollingTask::ask(const Question& question,
                                                               const CellAxes& cell,
                                                               const TextCodec& codec) const {
  const std::string& text = question.targets.front();
  const std::vector<TokenId> opening = parameters_.windows->opening(codec);
  Document document{.id = question.id, .tokens = parameters_.windows->text_prefix(codec)};
  const std::vector<TokenId> tokens = codec.encode(text);
  document.tokens.insert(document.tokens.end(), tokens.begin(), tokens.end());
  const Windows windows = parameters_.windows->cut(document.tokens, opening, cell);
  if (windows.windows.empty()) {
    return fmt::format("the text has {} token(s), none of which has one before it",
                       document.tokens.size());
  }
  Asked asked;
  for (const Window& window : windows.windows) {
    asked.requests.push_back(window_request(document, window, opening));
  }
  const TextCounts counts = count_text(text);
  asked.facts = {{"windows", windows.windows.size()},
                 {"tokens_skipped", windows.tokens_skipped},
                 {"bytes", counts.bytes},
                 {"words", counts.parts}};
  return asked;
}

}  // namespace

std::unique_ptr<const Task> loglikelihood_rolling_task(LoglikelihoodRollingParameters parameters) {
  return std::make_unique<LoglikelihoodRollingTask>(std::move(parameters));
}

std::unique_ptr<const Task> make_loglikelihood_rolling(Fields& fields,
                                                       const TaskDefinition& definition) {
  if (fields.has("stretch")) {
    throw fields.error("stretch",
                       "a text that is scored whole has no question to pad; give 'lengths', the "
                       "windows that it is read in");
  }
  for (const char* const key :
       {"fewshot_split", "fewshot_config", "fewshot_by", "fewshot_delimiter", "gen_prefix"}) {
    if (!fields.has(key)) continue;
    throw fields.error(key, "is of no use to a text that is scored whole; remove it");
  }
  if (fields.optional_integer("num_fewshot", 0, 1'000'000).value_or(0) > 0) {
    throw fields.error("num_fewshot", "a text that is scored whole has no worked examples");
  }
  std::unique_ptr<const WindowProtocol> windows = make_lm_eval(fields);
  ChosenMetrics metrics = read_metric_list(fields, kKnown);
  return loglikelihood_rolling_task(
      {.plan = {read_question_set(fields, definition, OutputType::kLoglikelihoodRolling),
                std::nullopt, std::nullopt},
       .windows = std::move(windows),
       .metrics = std::move(metrics)});
}

}  // namespace yardstick::tasks
