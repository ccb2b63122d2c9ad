#include "tasks/downstream/generate_until.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/downstream/stop_texts.hpp"
#include "tasks/kinds.hpp"
#include "tasks/partwise.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::int64_t kMostRepeats = 10'000;

/// Runs `work`; an error of it names the sample.
template <typename Work>
void at_sample(const std::string& id, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    throw error.within(id);
  }
}

class GenerateUntilTask final : public Task, public PartwiseTask {
 public:
  explicit GenerateUntilTask(GenerateUntilParameters parameters)
      : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "generate_until"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override { return parameters_.headline; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes = parameters_.plan.notes();
    if (!parameters_.generation.note.empty()) notes.push_back(parameters_.generation.note);
    return notes;
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return parameters_.plan.cells(lengths);
  }
  [[nodiscard]] std::vector<std::string> stop_texts() const override {
    return parameters_.generation.until;
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] std::vector<std::string> sample_ids(const BuildContext& context) const override {
    return parameters_.plan.sample_ids(context);
  }
  [[nodiscard]] Built build_part(const CellAxes& cell, const BuildContext& context,
                                 std::size_t first, std::size_t count) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  /// What is the same for all requests of a cell.
  struct Setting {
    const TextCodec& codec;
    std::uint64_t seed = 0;
    std::vector<TokenId> end_tokens;
  };
  [[nodiscard]] Setting setting_of(const BuildContext& context) const {
    return {.codec = context.codec,
            .seed = context.seed,
            .end_tokens = stop_tokens_of(context.codec, parameters_.generation.until)};
  }
  void check_references(const Question& question) const;
  [[nodiscard]] std::variant<Asked, std::string> ask(const Question& question,
                                                     const Setting& setting) const;

  GenerateUntilParameters parameters_;
};

std::string GenerateUntilTask::protocol() const {
  std::string metrics;
  for (const auto& metric : parameters_.pipelines.front().metrics) {
    metrics += (metrics.empty() ? "" : "; ") + metric->definition();
  }
  return fmt::format("generate_until v{}: {}, {}, up to {} tokens; {}", kVersion,
                     parameters_.plan.protocol(), parameters_.generation.protocol(),
                     parameters_.generation.max_new_tokens, metrics);
}

void GenerateUntilTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("repeats", parameters_.repeats);
  parameters_.generation.describe(fingerprint);
  for (const FilteredMetrics& pipeline : parameters_.pipelines) {
    fingerprint.add("filters", pipeline.filters.name).add("steps", pipeline.filters.written);
    for (const auto& metric : pipeline.metrics) {
      fingerprint.add("metric", metric->name()).add("definition", metric->definition());
    }
  }
  parameters_.plan.describe(fingerprint);
}

void GenerateUntilTask::check_references(const Question& question) const {
  at_sample(question.id, [&] {
    for (const FilteredMetrics& pipeline : parameters_.pipelines) {
      for (const auto& metric : pipeline.metrics) {
        const std::optional<std::string> problem = metric->problem(question.targets);
        if (problem) throw Error(ErrorKind::kData, *problem);
      }
    }
  });
}

std::variant<Asked, std::string> GenerateUntilTask::ask(const Question& question,
                                                        const Setting& setting) const {
  check_references(question);
  Request request{.tokens = setting.codec.window_prefix(),
                  .max_new_tokens = parameters_.generation.max_new_tokens,
                  .end_tokens = setting.end_tokens,
                  .sampling = parameters_.generation.sampling};
  const std::vector<TokenId> tokens = setting.codec.encode(question.context);
  if (!tokens.empty() && !request.tokens.empty() && tokens.front() == request.tokens.back()) {
    request.tokens.pop_back();  // the text brings its own BOS
  }
  request.tokens.insert(request.tokens.end(), tokens.begin(), tokens.end());
  if (request.tokens.empty()) {
    return "the context is empty, and the tokenizer has no BOS to begin with";
  }
  request.score_from = std::ssize(request.tokens);
  request.stop_tokens = setting.codec.end_of_generation();
  Asked asked{.facts = {{"references", question.targets}}};
  for (std::int64_t i = 0; i < parameters_.repeats; ++i) {
    asked.requests.push_back(request);
    asked.requests.back().sampling.seed =
        Random(setting.seed, "generate_until/" + question.id, static_cast<std::uint64_t>(i)).bits();
  }
  return asked;
}

Task::Built GenerateUntilTask::build(const CellAxes& cell, const BuildContext& context) const {
  const Setting setting = setting_of(context);
  return parameters_.plan.build(cell, context,
                                [&](const Question& question) { return ask(question, setting); });
}

Task::Built GenerateUntilTask::build_part(const CellAxes& cell, const BuildContext& context,
                                          std::size_t first, std::size_t count) const {
  const Setting setting = setting_of(context);
  return parameters_.plan.build_part(cell, context, first, count, [&](const Question& question) {
    return ask(question, setting);
  });
}

// The mean over the answers that are left behind the filters.
void add_values(const FilteredMetrics& pipeline, const Answers& answers,
                std::span<const std::string> references, SampleScore& score) {
  const auto share = 1.0 / static_cast<double>(answers.size());
  for (const auto& metric : pipeline.metrics) {
    for (const std::string& answer : answers) {
      for (const auto& [name, value] : metric->values(answer, references)) {
        score.values[name] += share * value;
      }
    }
  }
}

SampleScore GenerateUntilTask::score(const Sample& sample, std::span<const Response> responses,
                                     const TextCodec& codec) const {
  check(std::ssize(responses) == parameters_.repeats, "each repeat is one request");
  SampleScore score = score_of(sample);
  Answers generated;
  double tokens = 0;
  for (const Response& response : responses) {
    if (response.status != ResponseStatus::kOk) return non_finite(std::move(score));
    generated.emplace_back(
        cut_at_stop(codec.decode(response.generated), parameters_.generation.until));
    tokens += static_cast<double>(response.generated.size());
  }
  score.values["generated_tokens"] = tokens / static_cast<double>(parameters_.repeats);
  score.details["generated"] = generated;
  const auto references = sample.facts.at("references").get<std::vector<std::string>>();
  at_sample(sample.id, [&] {
    for (const FilteredMetrics& pipeline : parameters_.pipelines) {
      const Answers answers = pipeline.filters.apply(generated);
      const std::string& name = pipeline.filters.name;
      if (!name.empty()) score.details["filtered"][name] = answers;
      add_values(pipeline, answers, references, score);
    }
  });
  return score;
}

std::vector<MetricValue> GenerateUntilTask::aggregate(std::span<const SampleScore> scores,
                                                      std::uint64_t seed) const {
  std::vector<MetricValue> metrics;
  for (const FilteredMetrics& pipeline : parameters_.pipelines) {
    for (const auto& metric : pipeline.metrics) {
      if (std::optional<MetricValue> value = metric->aggregate(scores, seed)) {
        metrics.push_back(std::move(*value));
      }
    }
  }
  return metrics;
}

using Metrics = std::vector<std::unique_ptr<const GenerationMetric>>;

/// The metrics of metric_list; lm-evaluation-harness's default where there is none.
Metrics read_metrics(Fields& fields, std::string_view filter) {
  Metrics metrics;
  for (const std::string& element : fields.elements("metric_list")) {
    Fields entry(fields.located(), element, "a metric of metric_list");
    metrics.push_back(make_generation_metric(entry, filter));
  }
  if (!metrics.empty()) return metrics;
  if (fields.has("metric_list")) {
    throw fields.error("metric_list", "is empty; name at least one metric, or leave the key out");
  }
  const Located fallback({{"metric", "exact_match"}}, "");
  Fields entry(fallback, "", "the default metric");
  metrics.push_back(make_generation_metric(entry, filter));
  return metrics;
}

std::vector<FilteredMetrics> read_pipelines(Fields& fields, std::int64_t repeats) {
  std::vector<FilteredMetrics> pipelines;
  for (FilterPipeline& filters : read_filters(fields, repeats)) {
    FilteredMetrics& pipeline = pipelines.emplace_back();
    pipeline.metrics = read_metrics(fields, filters.name);
    pipeline.filters = std::move(filters);
  }
  return pipelines;
}

Task::Headline read_headline(Fields& fields, std::span<const FilteredMetrics> pipelines) {
  const std::optional<std::string> wanted = fields.optional_text("headline");
  std::vector<std::string> names;
  for (const FilteredMetrics& pipeline : pipelines) {
    for (const auto& metric : pipeline.metrics) {
      if (!wanted || metric->name() == *wanted) {
        return {.metric = metric->name(), .better = metric->better()};
      }
      names.push_back(metric->name());
    }
  }
  throw fields.error("headline", fmt::format("found '{}'{}, expected one of {}", *wanted,
                                             did_you_mean(*wanted, names), fmt::join(names, ", ")));
}

}  // namespace

std::unique_ptr<const Task> generate_until_task(GenerateUntilParameters parameters) {
  return std::make_unique<GenerateUntilTask>(std::move(parameters));
}

std::unique_ptr<const Task> make_generate_until(Fields& fields, const TaskDefinition& definition) {
  GenerationSettings generation = read_generation_settings(fields);
  const std::int64_t repeats = fields.optional_integer("repeats", 1, kMostRepeats).value_or(1);
  if (repeats > 1 && generation.sampling.temperature == 0) {
    throw fields.error("repeats",
                       "greedy answers to one question are all the same; ask once, or set "
                       "do_sample: true in generation_kwargs");
  }
  std::vector<FilteredMetrics> pipelines = read_pipelines(fields, repeats);
  Task::Headline headline = read_headline(fields, pipelines);
  return generate_until_task(
      {.plan = read_question_plan(fields, definition, OutputType::kGenerateUntil),
       .generation = std::move(generation),
       .repeats = repeats,
       .pipelines = std::move(pipelines),
       .headline = std::move(headline)});
}

}  // namespace yardstick::tasks
