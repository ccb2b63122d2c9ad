#include "tasks/choice/multiple_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tasks/build_each.hpp"
#include "tasks/choice/items.hpp"
#include "tasks/choice/scoring.hpp"
#include "tasks/data/continuation.hpp"
#include "tasks/data/source.hpp"
#include "tasks/data/subset.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers

struct Parameters {
  DataSource source;
  std::vector<ChoiceItem> items;
  std::string delimiter = " ";
  Boundary boundary = Boundary::kJoint;
  std::string headline = "acc";
};

class MultipleChoiceTask final : public Task {
 public:
  explicit MultipleChoiceTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "multiple_choice"; }
  [[nodiscard]] std::string protocol() const override {
    return fmt::format(
        "multiple_choice v{}: 0-shot, log-likelihood, context and choice encoded {}, ties 1/k",
        kVersion, parameters_.boundary == Boundary::kJoint ? "jointly" : "separately");
  }
  [[nodiscard]] Headline headline() const override {
    return {.metric = parameters_.headline, .better = Headline::Better::kHigher};
  }
  [[nodiscard]] std::vector<CellAxes> cells(
      std::span<const std::int64_t> /*lengths*/) const override {
    return {CellAxes{}};
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t /*seed*/) const override {
    return summarize_choices(scores);
  }

 private:
  [[nodiscard]] BuiltSample make_sample(const ChoiceItem& item, const TextCodec& codec) const;

  Parameters parameters_;
};

// The rendered items, not the templates: what is asked decides, not how it was written.
void MultipleChoiceTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("delimiter", parameters_.delimiter)
      .add("boundary", parameters_.boundary == Boundary::kJoint ? "joint" : "separate")
      .add("items", static_cast<std::int64_t>(parameters_.items.size()));
  for (const ChoiceItem& item : parameters_.items) {
    fingerprint.add("line", item.line)
        .add("context", item.context)
        .add("gold", item.gold)
        .add("category", item.category)
        .add("choices", static_cast<std::int64_t>(item.choices.size()));
    for (const std::string& choice : item.choices) fingerprint.add("choice", choice);
  }
}

BuiltSample MultipleChoiceTask::make_sample(const ChoiceItem& item, const TextCodec& codec) const {
  Sample sample;
  sample.id = fmt::format("line-{:06}", item.line);
  sample.document_id = sample.id;
  nlohmann::json choices = nlohmann::json::array();
  const std::vector<TokenId> tokens = codec.encode(item.context);
  const EncodedContext context{.text = item.context, .tokens = tokens};
  for (const std::string& choice : item.choices) {
    const std::optional<Request> request =
        continuation_request(context, parameters_.delimiter + choice, parameters_.boundary, codec);
    if (!request) {
      SampleScore score;
      score.sample_id = sample.id;
      score.document_id = sample.id;
      score.status = SampleStatus::kSkipped;
      score.reason = fmt::format(
          "the choice '{}' has no token that can be scored: the context is "
          "empty, and the tokenizer has neither BOS nor end-of-text",
          choice);
      return score;
    }
    choices.push_back(
        {{"text", choice}, {"characters", count_code_points(choice)}, {"bytes", choice.size()}});
    sample.requests.push_back(*request);
  }
  const std::string& right = item.choices[static_cast<std::size_t>(item.gold)];
  sample.facts = {{"prompt", item.context},
                  {"choices", std::move(choices)},
                  {"gold", item.gold},
                  {"gold_bytes", parameters_.delimiter.size() + right.size()}};
  if (!item.category.empty()) sample.facts["category"] = item.category;
  return sample;
}

Task::Built MultipleChoiceTask::build(const CellAxes& /*cell*/, const BuildContext& context) const {
  const std::vector<std::size_t> subset =
      choose_subset(parameters_.items.size(), context.subset, context.seed, "multiple_choice/limit");
  return build_each(subset.size(), [&](std::size_t i) {
    return make_sample(parameters_.items[subset[i]], context.codec);
  });
}

double margin_of(std::span<const ChoiceScore> scores, std::int64_t gold) {
  std::optional<double> best_other;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (static_cast<std::int64_t>(i) == gold) continue;
    best_other = std::max(best_other.value_or(scores[i].log_likelihood), scores[i].log_likelihood);
  }
  return scores[static_cast<std::size_t>(gold)].log_likelihood - best_other.value();
}

SampleScore MultipleChoiceTask::score(const Sample& sample, std::span<const Response> responses,
                                      const TextCodec& /*codec*/) const {
  const nlohmann::json& choices = sample.facts.at("choices");
  check(responses.size() == choices.size(), "each choice is one request");
  SampleScore score;
  score.sample_id = sample.id;
  score.document_id = sample.document_id;
  score.details = sample.facts;
  std::vector<ChoiceScore> scores;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    const double nll = std::accumulate(responses[i].nll.begin(), responses[i].nll.end(), 0.0);
    if (responses[i].status != ResponseStatus::kOk || !std::isfinite(nll)) {
      score.status = SampleStatus::kNonFinite;
      score.reason = "a NaN or infinity in the model's output; try dtype f32 or bf16";
      return score;
    }
    scores.push_back({.log_likelihood = -nll,
                      .characters = choices[i].at("characters").get<std::int64_t>(),
                      .bytes = choices[i].at("bytes").get<std::int64_t>(),
                      .tokens = static_cast<std::int64_t>(responses[i].nll.size())});
    score.details["choices"][i]["log_likelihood"] = -nll;
    score.details["choices"][i]["tokens"] = responses[i].nll.size();
  }
  const auto gold = sample.facts.at("gold").get<std::int64_t>();
  for (const NamedNormalization& normalization : kNormalizations) {
    const Verdict verdict = judge(scores, gold, normalization.kind);
    score.values[std::string(normalization.metric)] = verdict.credit;
    if (normalization.kind == Normalization::kSum) score.values["tie"] = verdict.best > 1 ? 1 : 0;
  }
  score.values["margin"] = margin_of(scores, gold);
  score.values["gold_nll"] = -scores[static_cast<std::size_t>(gold)].log_likelihood;
  score.values["gold_bytes"] = sample.facts.at("gold_bytes").get<double>();
  return score;
}

// The value of one of two names for the same thing: ours, or lm-evaluation-harness's.
std::string_view either(Fields& fields, std::string_view ours, std::string_view theirs) {
  const bool has_ours = fields.has(ours);
  if (!fields.has(theirs)) return ours;
  if (has_ours) {
    throw fields.error(theirs, fmt::format("says the same as '{}'; remove one of them", ours));
  }
  return theirs;
}

// A template; text without references is the name of a field, as in lm-evaluation-harness.
Template field_template(Fields& fields, std::string_view key, const std::string& text) {
  const bool is_name = text.find("{{") == std::string::npos;
  return {is_name ? "{{" + text + "}}" : text, fields.where(key)};
}

std::vector<Template> read_choices(Fields& fields) {
  const std::string_view key = either(fields, "choices", "doc_to_choice");
  const nlohmann::json raw = fields.raw(key);
  const std::vector<std::string> texts = fields.texts(key);
  std::vector<Template> out;
  if (raw.is_string()) {
    out.push_back(field_template(fields, key, texts.front()));
    if (!out.front().is_expression()) {
      throw fields.error(key,
                         "one text must name one field that holds the list of choices, such "
                         "as {{choices.text}}; give a list of templates otherwise");
    }
    return out;
  }
  if (texts.size() < 2) throw fields.error(key, "expected at least two choices");
  for (const std::string& text : texts) out.emplace_back(text, fields.where(key));
  return out;
}

Template read_target(Fields& fields) {
  const std::string_view key = either(fields, "answer", "doc_to_target");
  if (fields.raw(key).is_number_integer()) {
    return {std::to_string(fields.integer(key, 0, 1000)), fields.where(key)};
  }
  return field_template(fields, key, fields.text(key));
}

using BoundaryWord = std::pair<std::string_view, Boundary>;
constexpr std::array<BoundaryWord, 2> kBoundaries = {
    {{"joint", Boundary::kJoint}, {"separate", Boundary::kSeparate}}};
using HeadlineWord = std::pair<std::string_view, std::string_view>;
constexpr std::array<HeadlineWord, 4> kHeadlines = {{{"acc", "acc"},
                                                     {"acc_char", "acc_char"},
                                                     {"acc_byte", "acc_byte"},
                                                     {"acc_token", "acc_token"}}};
constexpr std::array<DataFormat, 1> kAccepted = {DataFormat::kJsonl};

}  // namespace

std::unique_ptr<const Task> make_multiple_choice(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters;
  parameters.source = read_source(fields, definition.base, kAccepted);
  const std::string_view prompt = either(fields, "prompt", "doc_to_text");
  ChoiceTemplates templates{.context = {fields.text(prompt), fields.where(prompt)},
                            .choices = read_choices(fields),
                            .target = read_target(fields),
                            .category = std::nullopt};
  if (const std::optional<std::string> category = fields.optional_text("category")) {
    templates.category = field_template(fields, "category", *category);
  }
  parameters.delimiter =
      fields.optional_text(either(fields, "delimiter", "target_delimiter")).value_or(" ");
  parameters.boundary =
      fields.choice("boundary", Boundary::kJoint, std::span<const BoundaryWord>(kBoundaries));
  parameters.headline =
      fields.choice("headline", std::string_view("acc"), std::span<const HeadlineWord>(kHeadlines));
  parameters.items = read_items(parameters.source, templates);
  return std::make_unique<MultipleChoiceTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
