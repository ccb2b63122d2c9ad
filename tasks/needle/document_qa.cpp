// Questions over documents, of which one holds the answer (Liu et al. 2023, "Lost in the Middle",
// arXiv 2307.03172).
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/random.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/kinds.hpp"
#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/normalize.hpp"
#include "tasks/metrics/overlap.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/gold_place.hpp"
#include "tasks/needle/gold_task.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/needle/item_records.hpp"
#include "tasks/needle/prompt_template.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::string_view kUnit = "documents";
constexpr std::string_view kPrompt =
    "Write a high-quality answer for the given question using only the provided search results "
    "(some of which might be irrelevant).\n\n{{documents}}\n\nQuestion: {{question}}\nAnswer:";
constexpr std::string_view kForm =
    "{\"question\": text, \"answers\": [text, ...], \"ctxs\": [{\"title\": text, \"text\": text, "
    "\"isgold\": true}, ...]}";
constexpr std::string_view kDistractorForm = "{\"title\": text, \"text\": text}";

struct Passage {
  std::string id;
  std::string title;
  std::string text;

  bool operator<(const Passage& other) const {
    return std::pair(title, text) < std::pair(other.title, other.text);
  }
};

struct Item {
  std::string id;
  std::string question;
  std::vector<std::string> answers;
  Passage gold;
  std::vector<Passage> others;  ///< its own distractors, in order; empty: drawn from the pool
};

struct Parameters {
  explicit Parameters(Fields& fields) : places(fields, kUnit, 1) {}

  GoldPlaces places;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::vector<Item> items;
  std::vector<Passage> pool;              ///< distractors for all questions, each once
  std::vector<std::string> pool_answers;  ///< their texts as answers are looked for
  std::int64_t samples = 0;
  std::int64_t max_new_tokens = 100;
  Template prompt{"", ""};
  std::string answer_prefix;
};

std::string document_text(std::int64_t index, const Passage& passage) {
  return fmt::format("Document [{}](Title: {}) {}", index + 1, passage.title, passage.text);
}

class DocumentQaTask final : public Task {
 public:
  explicit DocumentQaTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "document_qa"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "best_subspan_em", .better = Headline::Better::kHigher};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return parameters_.places.cells(
        parameters_.lengths.empty() ? lengths : std::span<const std::int64_t>(parameters_.lengths));
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  /// The distractors of a question in the order in which they are used.
  [[nodiscard]] std::vector<const Passage*> distractors(std::size_t index,
                                                        std::uint64_t seed) const;
  [[nodiscard]] BuiltSample ask(std::size_t index, const CellAxes& cell,
                                const BuildContext& context) const;

  Parameters parameters_;
};

std::string DocumentQaTask::protocol() const {
  return fmt::format(
      "document_qa v{}: {} questions, one document with the answer, {}, greedy, {} "
      "new tokens, first line",
      kVersion, parameters_.samples, parameters_.places.describe(), parameters_.max_new_tokens);
}

void DocumentQaTask::describe(Fingerprint& fingerprint) const {
  const auto add = [&](const char* name, const Passage& passage) {
    fingerprint.add(name, passage.title).add(name, passage.text);
  };
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("samples", parameters_.samples)
      .add("max_new_tokens", parameters_.max_new_tokens)
      .add("prompt", parameters_.prompt.text())
      .add("answer_prefix", parameters_.answer_prefix);
  for (const Item& item : parameters_.items) {
    fingerprint.add("id", item.id).add("question", item.question);
    for (const std::string& answer : item.answers) fingerprint.add("answer", answer);
    add("gold", item.gold);
    for (const Passage& other : item.others) add("other", other);
  }
  for (const Passage& passage : parameters_.pool) add("pool", passage);
}

std::vector<const Passage*> DocumentQaTask::distractors(std::size_t index,
                                                        std::uint64_t seed) const {
  const Item& item = parameters_.items[index];
  std::vector<const Passage*> chosen;
  if (!item.others.empty()) {
    for (const Passage& other : item.others) chosen.push_back(&other);
    return chosen;
  }
  std::vector<std::string> answers;
  for (const std::string& answer : item.answers) answers.push_back(normalize_answer(answer));
  for (std::size_t i = 0; i < parameters_.pool.size(); ++i) {
    const std::string& text = parameters_.pool_answers[i];
    const bool has_answer = std::any_of(
        answers.begin(), answers.end(),
        [&](const std::string& answer) { return text.find(answer) != std::string::npos; });
    if (!has_answer && parameters_.pool[i].text != item.gold.text) {
      chosen.push_back(&parameters_.pool[i]);
    }
  }
  // One stream for all cells: more documents are the same ones and others behind them.
  Random random(seed, "document_qa", index);
  random.shuffle(std::span(chosen));
  return chosen;
}

BuiltSample DocumentQaTask::ask(std::size_t index, const CellAxes& cell,
                                const BuildContext& context) const {
  const Item& item = parameters_.items[index];
  const std::vector<const Passage*> others = distractors(index, context.seed);
  const auto passage = [&](std::int64_t i, std::int64_t place) -> const Passage& {
    if (i == place) return item.gold;
    return *others[static_cast<std::size_t>(i < place ? i : i - 1)];
  };
  // The gold document is counted as the first; its place changes no more than some digits.
  UnitRun documents(context.codec, [&](std::int64_t i) {
    return Unit{.body = document_text(i, passage(i, 0)), .separator = "\n"};
  });
  const auto prompt = [&](std::int64_t n, std::int64_t place) {
    std::string all;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0) all += '\n';
      all += document_text(i, passage(i, place));
    }
    return parameters_.prompt.render({{"documents", all}, {"question", item.question}});
  };
  return ask_for_gold(
      {.id = "document_qa/" + item.id,
       .least = 1,
       .most = std::ssize(others) + 1,
       .prompt = prompt,
       .gold = [&](std::int64_t, std::int64_t place) { return document_text(place, item.gold); },
       .tokens = [&](std::int64_t n) { return documents.tokens(n); },
       .answers = item.answers,
       .continuation = parameters_.answer_prefix + item.answers.front(),
       .facts = {{"question", item.question}}},
      {.kind = kind(), .unit = kUnit, .max_new_tokens = parameters_.max_new_tokens},
      parameters_.places, cell, context.codec);
}

Task::Built DocumentQaTask::build(const CellAxes& cell, const BuildContext& context) const {
  Subset subset = context.subset;
  subset.limit = std::min(parameters_.samples, subset.limit.value_or(parameters_.samples));
  const std::vector<std::size_t> chosen =
      choose_subset(parameters_.items.size(), subset, context.seed, "document_qa");
  return build_each(chosen.size(), [&](std::size_t i) { return ask(chosen[i], cell, context); });
}

SampleScore DocumentQaTask::score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const {
  SampleScore score = score_answer(sample, responses, codec, Needed::kAny);
  if (score.status != SampleStatus::kOk) return score;
  // As published: behind its first line an output may go on with the documents, answer and all.
  const std::string output = codec.decode(responses[0].generated);
  const std::string_view line = trim(std::string_view(output).substr(0, output.find('\n')));
  double best = 0;
  for (const auto& answer : sample.facts.at("answers")) {
    best = std::max(best, substring_exact_match(line, answer.get<std::string>()));
  }
  score.values["best_subspan_em"] = best;
  return score;
}

std::vector<MetricValue> DocumentQaTask::aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t /*seed*/) const {
  std::vector<MetricValue> metrics = summarize_answers(scores);
  if (!metrics.empty()) metrics.insert(metrics.begin(), mean_match("best_subspan_em", scores));
  return metrics;
}

Passage read_passage(const nlohmann::ordered_json& from, const ItemRecord& record) {
  const auto text_of = [&](const char* key) {
    if (!from.is_object() || !from.contains(key) || !from[key].is_string()) {
      throw record.error(fmt::format("a document without the text '{}'", key));
    }
    return from[key].get<std::string>();
  };
  return {.id = "", .title = text_of("title"), .text = text_of("text")};
}

Item read_item(const ItemRecord& record) {
  Item item{.id = record.id(),
            .question = record.text("question"),
            .answers = record.texts("answers"),
            .gold = {},
            .others = {}};
  for (const std::string& answer : item.answers) {
    if (normalize_answer(answer).empty()) {
      throw record.error(
          fmt::format("nothing is left of the answer '{}' without punctuation and "
                      "articles; every output would hold it",
                      answer));
    }
  }
  int gold = 0;
  for (const nlohmann::ordered_json& document : record.list("ctxs")) {
    Passage passage = read_passage(document, record);
    if (document.contains("isgold") && document["isgold"] == true) {
      item.gold = std::move(passage);
      ++gold;
    } else {
      item.others.push_back(std::move(passage));
    }
  }
  if (gold != 1) {
    throw record.error(fmt::format("{} documents have \"isgold\": true, one has to", gold));
  }
  return item;
}

/// Distractors for questions that bring none: those of a file, or the questions' gold documents.
void read_pool(Fields& fields, const TaskDefinition& definition, Parameters& parameters) {
  std::vector<Passage> found = read_items(read_files(fields, "distractors", definition.base),
                                          kDistractorForm, [](const ItemRecord& record) {
                                            return Passage{.id = record.id(),
                                                           .title = record.text("title"),
                                                           .text = record.text("text")};
                                          });
  if (!fields.has("distractors")) {
    for (const Item& item : parameters.items) found.push_back(item.gold);
  }
  std::set<Passage> seen;
  for (Passage& passage : found) {
    if (!seen.insert(passage).second) continue;
    parameters.pool_answers.push_back(normalize_answer(passage.text));
    parameters.pool.push_back(std::move(passage));
  }
}

}  // namespace

std::unique_ptr<const Task> make_document_qa(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters(fields);
  parameters.lengths = fields.lengths("lengths");
  parameters.max_new_tokens =
      fields.optional_integer("max_new_tokens", 1, 100'000).value_or(parameters.max_new_tokens);
  parameters.prompt = read_prompt_template(fields, "prompt", kPrompt,
                                           {.required = {"documents", "question"}, .optional = {}});
  parameters.answer_prefix = fields.optional_text("answer_prefix").value_or(" ");
  parameters.items = read_items(read_files(fields, "data", definition.base), kForm, read_item);
  if (parameters.items.empty()) {
    throw fields.error("data", "the task needs questions, such as `data: questions.jsonl`");
  }
  read_pool(fields, definition, parameters);
  parameters.samples =
      fields.optional_integer("samples", 1, 1'000'000).value_or(std::ssize(parameters.items));
  return std::make_unique<DocumentQaTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
