// BABILong: the facts of a reasoning question spread over running text (Kuratov et al. 2024, arXiv
// 2406.10149), in context of any length.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/random.hpp"
#include "tasks/build_each.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/data/text_file.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/babilong_match.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/grid.hpp"
#include "tasks/needle/haystack.hpp"
#include "tasks/needle/item_records.hpp"
#include "tasks/needle/prompt_template.hpp"
#include "tasks/sample_score.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::string_view kPrompt = "<context>\n{{context}}\n</context>\n\nQuestion: {{question}}";
constexpr std::string_view kAnswer = "\nAnswer: {{gold}}";
constexpr std::string_view kForm = "{\"facts\": [text, ...], \"question\": text, \"gold\": text}";
constexpr std::string_view kFactsOnly = "0k";
constexpr std::int64_t kMostWords = 100;  // of a sentence whose end is nowhere to be seen

struct Item {
  std::string id;
  std::vector<std::string> facts;
  std::string question;
  std::string gold;
};

struct Parameters {
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::vector<double> depths;         ///< all facts at one depth; empty: at random gaps
  bool has_facts_only = false;        ///< a cell without haystack
  std::int64_t samples = 0;           ///< 0: all
  std::int64_t max_new_tokens = 20;
  std::vector<Item> items;
  std::vector<std::string> labels;
  std::vector<std::string> sentences;  ///< the haystack
  Template prompt{"", ""};
  Template answer{"", ""};
};

/// Facts between sentences of the haystack.
struct Context {
  std::string text;
  std::vector<std::size_t> facts;  ///< byte of `text` at which each begins
};

/// Fact i stands in front of sentence gaps[i]; gaps do not fall.
Context lay_out(const Item& item, const std::vector<std::int64_t>& gaps, UnitRun& sentences,
                std::int64_t n) {
  Context context;
  std::size_t fact = 0;
  const auto append = [&](const std::string& text) {
    if (!context.text.empty()) context.text += ' ';
    context.text += text;
  };
  for (std::int64_t i = 0; i <= n; ++i) {
    for (; fact < gaps.size() && gaps[fact] == i; ++fact) {
      append(item.facts[fact]);
      context.facts.push_back(context.text.size() - item.facts[fact].size());
    }
    if (i < n) append(sentences.at(i).body);
  }
  return context;
}

/// The gap among n sentences that is nearest to a share of their tokens.
std::int64_t gap_at(double depth, UnitRun& sentences, std::int64_t n) {
  const double wanted = depth * static_cast<double>(sentences.tokens(n));
  std::int64_t low = 0;
  std::int64_t high = n;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (static_cast<double>(sentences.tokens(middle)) <= wanted ? low : high) = middle;
  }
  const auto distance = [&](std::int64_t gap) {
    return std::abs(static_cast<double>(sentences.tokens(gap)) - wanted);
  };
  return distance(high) < distance(low) ? high : low;
}

class BabilongTask final : public Task {
 public:
  explicit BabilongTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "babilong"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "babilong_match", .better = Headline::Better::kHigher};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override;
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override;
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t seed) const override;

 private:
  /// A prompt whose haystack has been sized, and where its facts stand.
  struct Laid {
    FittedText fitted;
    Context context;
    std::vector<std::int64_t> gaps;
  };

  [[nodiscard]] BuiltSample make_sample(std::size_t index, const CellAxes& cell,
                                        const BuildContext& context) const;
  [[nodiscard]] std::variant<Laid, Infeasible> size(const Item& item, const CellAxes& cell,
                                                    Random random, const TextCodec& codec) const;
  [[nodiscard]] std::string render(const Item& item, const std::string& context) const;

  Parameters parameters_;
};

std::string BabilongTask::protocol() const {
  return fmt::format(
      "babilong v{}: {} questions, facts whole and in order {}, greedy, {} new tokens; the target "
      "is the only label of the first sentence; prompt + answer fill the length to within one "
      "sentence",
      kVersion, parameters_.items.size(),
      parameters_.depths.empty() ? "at random gaps of the haystack" : "together at one depth",
      parameters_.max_new_tokens);
}

std::vector<CellAxes> BabilongTask::cells(std::span<const std::int64_t> lengths) const {
  if (!parameters_.lengths.empty()) lengths = parameters_.lengths;
  std::vector<CellAxes> cells;
  if (parameters_.has_facts_only) {
    cells.push_back(
        {.length_tokens = std::nullopt, .depth = std::nullopt, .variant = std::string(kFactsOnly)});
  }
  for (CellAxes& cell : grid_cells(lengths, parameters_.depths)) cells.push_back(std::move(cell));
  return cells;
}

void BabilongTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("samples", parameters_.samples)
      .add("max_new_tokens", parameters_.max_new_tokens)
      .add("prompt", parameters_.prompt.text())
      .add("answer", parameters_.answer.text());
  for (const std::string& label : parameters_.labels) fingerprint.add("label", label);
  for (const Item& item : parameters_.items) {
    fingerprint.add("id", item.id).add("question", item.question).add("gold", item.gold);
    for (const std::string& fact : item.facts) fingerprint.add("fact", fact);
  }
  for (const std::string& sentence : parameters_.sentences) fingerprint.add("sentence", sentence);
}

std::string BabilongTask::render(const Item& item, const std::string& context) const {
  const std::string text =
      parameters_.prompt.render({{"context", context}, {"question", item.question}});
  // Parts left empty leave no empty lines at the ends, as published.
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

std::variant<BabilongTask::Laid, Infeasible> BabilongTask::size(const Item& item,
                                                                const CellAxes& cell, Random random,
                                                                const TextCodec& codec) const {
  const std::vector<std::string>& haystack = parameters_.sentences;
  const std::uint64_t start = haystack.empty() ? 0 : random.below(haystack.size());
  std::vector<double> shares;
  for (std::size_t i = 0; i < item.facts.size(); ++i) shares.push_back(random.uniform());
  std::sort(shares.begin(), shares.end());
  UnitRun sentences(codec, [&](std::int64_t i) {
    const std::uint64_t at = (start + static_cast<std::uint64_t>(i)) % haystack.size();
    return Unit{.body = haystack[at], .separator = " "};
  });
  const auto gaps = [&](std::int64_t n) {
    if (cell.depth) {
      return std::vector<std::int64_t>(item.facts.size(), gap_at(*cell.depth, sentences, n));
    }
    std::vector<std::int64_t> drawn;
    for (const double share : shares) {
      drawn.push_back(static_cast<std::int64_t>(share * static_cast<double>(n + 1)));
    }
    return drawn;
  };
  const auto compose = [&](std::int64_t n) {
    return render(item, lay_out(item, gaps(n), sentences, n).text);
  };
  const auto laid = [&](FittedText fitted) {
    const std::int64_t n = fitted.units;
    return Laid{.fitted = std::move(fitted),
                .context = lay_out(item, gaps(n), sentences, n),
                .gaps = gaps(n)};
  };
  if (!cell.length_tokens) {
    FittedText facts{.units = 0, .text = compose(0), .spans = {}};
    facts.spans = codec.encode_spans(facts.text);
    return laid(std::move(facts));
  }
  std::variant<FittedText, Infeasible> fitted =
      fit_prompt({.least = 0,
                  .most = std::ssize(haystack),
                  .compose = compose,
                  .tokens = [&](std::int64_t n) { return sentences.tokens(n); }},
                 *cell.length_tokens, parameters_.max_new_tokens, codec);
  if (auto* const infeasible = std::get_if<Infeasible>(&fitted)) return std::move(*infeasible);
  auto& text = std::get<FittedText>(fitted);
  if (text.units == std::ssize(haystack)) {
    return Infeasible{
        fmt::format("the whole haystack makes a prompt of {} tokens only, the length "
                    "is {}; add files to `haystack`",
                    text.spans.size(), *cell.length_tokens)};
  }
  return laid(std::move(text));
}

BuiltSample BabilongTask::make_sample(std::size_t index, const CellAxes& cell,
                                      const BuildContext& context) const {
  const Item& item = parameters_.items[index];
  const std::string id = "babilong/" + item.id;
  const std::string stream =
      fmt::format("babilong/{}/{}", cell.length_tokens.value_or(0),
                  cell.depth ? fmt::format("{:.6g}", *cell.depth) : std::string("gaps"));
  std::variant<Laid, Infeasible> sized =
      size(item, cell, Random(context.seed, stream, index), context.codec);
  if (auto* const infeasible = std::get_if<Infeasible>(&sized)) {
    return skipped_sample(id, std::move(infeasible->reason));
  }
  auto& laid = std::get<Laid>(sized);
  const std::size_t context_begin = laid.fitted.text.find(laid.context.text);
  const std::int64_t prefix = std::ssize(context.codec.window_prefix());
  nlohmann::json facts = {{"question", item.question},
                          {"gold", item.gold},
                          {"sentences", laid.fitted.units},
                          {"gaps", laid.gaps}};
  for (const std::size_t fact : laid.context.facts) {
    facts["fact_tokens"].push_back(prefix + token_at(laid.fitted.spans, context_begin + fact));
  }
  if (cell.length_tokens) facts["target_tokens"] = *cell.length_tokens;
  if (cell.depth) facts["depth"] = *cell.depth;
  Sample sample = make_answer_sample({.id = id,
                                      .document_id = id,
                                      .text = std::move(laid.fitted.text),
                                      .tokens = ids_of(laid.fitted.spans),
                                      .answers = target_labels(item.gold),
                                      .continuation = parameters_.answer.render(
                                          {{"gold", item.gold}, {"question", item.question}}),
                                      .max_new_tokens = parameters_.max_new_tokens,
                                      .facts = std::move(facts)},
                                     context.codec);
  check_answer_fits(kind(), sample, parameters_.max_new_tokens);
  return sample;
}

Task::Built BabilongTask::build(const CellAxes& cell, const BuildContext& context) const {
  Subset subset = context.subset;
  if (parameters_.samples > 0) {
    subset.limit = std::min(parameters_.samples, subset.limit.value_or(parameters_.samples));
  }
  const std::vector<std::size_t> chosen =
      choose_subset(parameters_.items.size(), subset, context.seed, "babilong");
  return build_each(chosen.size(),
                    [&](std::size_t i) { return make_sample(chosen[i], cell, context); });
}

SampleScore BabilongTask::score(const Sample& sample, std::span<const Response> responses,
                                const TextCodec& codec) const {
  SampleScore score = score_answer(sample, responses, codec, Needed::kAll);
  if (score.status != SampleStatus::kOk) return score;
  const auto question = sample.facts.at("question").get<std::string>();
  const auto gold = sample.facts.at("gold").get<std::string>();
  const bool is_right =
      babilong_match(codec.decode(responses[0].generated),
                     {.question = question, .target = gold, .labels = parameters_.labels});
  score.values["babilong_match"] = is_right ? 1.0 : 0.0;
  return score;
}

std::vector<MetricValue> BabilongTask::aggregate(std::span<const SampleScore> scores,
                                                 std::uint64_t /*seed*/) const {
  std::vector<MetricValue> metrics = summarize_answers(scores);
  if (!metrics.empty()) metrics.insert(metrics.begin(), mean_match("babilong_match", scores));
  return metrics;
}

void read_questions(Fields& fields, const TaskDefinition& definition, Parameters& parameters) {
  const std::vector<std::filesystem::path> files = read_files(fields, "data", definition.base);
  if (files.empty()) {
    throw fields.error("data", "the task needs files with facts, such as `data: qa1.jsonl`");
  }
  parameters.items = read_items(files, kForm, [](const ItemRecord& record) {
    return Item{.id = record.id(),
                .facts = record.texts("facts"),
                .question = record.text("question"),
                .gold = record.text("gold")};
  });
  std::set<std::string> golds;
  for (const Item& item : parameters.items) {
    for (std::string& label : target_labels(item.gold)) golds.insert(std::move(label));
  }
  parameters.labels = fields.texts("labels");
  if (parameters.labels.empty()) parameters.labels = {golds.begin(), golds.end()};
  if (const auto most = fields.optional_integer("max_facts", 1, 1'000'000)) {
    std::erase_if(parameters.items,
                  [&](const Item& item) { return std::ssize(item.facts) > *most; });
  }
  if (parameters.items.empty()) throw fields.error("data", "there is no record left to ask");
}

/// Sentences on one line each; a longer one than kMostWords is cut at white space.
std::vector<std::string> split_haystack(const std::filesystem::path& file) {
  std::vector<std::string> sentences;
  std::string sentence;
  std::int64_t words = 0;
  for (const Unit& word : split_words(read_text_file(file), file.string())) {
    sentence += word.body;
    if (++words == kMostWords || word.end == Unit::End::kBoundary) {
      sentences.push_back(std::exchange(sentence, {}));
      words = 0;
    } else if (!word.separator.empty()) {
      sentence += ' ';
    }
  }
  return sentences;
}

/// The haystack without sentences that are facts: each fact of a prompt stands there because it was
/// put there.
void read_sentences(Fields& fields, const TaskDefinition& definition, Parameters& parameters) {
  std::set<std::string_view> facts;
  for (const Item& item : parameters.items) facts.insert(item.facts.begin(), item.facts.end());
  for (const std::filesystem::path& file : read_files(fields, "haystack", definition.base)) {
    for (std::string& sentence : split_haystack(file)) {
      if (facts.count(sentence) == 0) parameters.sentences.push_back(std::move(sentence));
    }
  }
  if (parameters.sentences.empty()) {
    throw fields.error("haystack", "the task needs running text, such as `haystack: book.txt`");
  }
}

}  // namespace

std::unique_ptr<const Task> make_babilong(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters;
  parameters.lengths = fields.lengths("lengths");
  parameters.depths = read_depths(fields, {});
  parameters.has_facts_only = fields.optional_flag("facts_only").value_or(false);
  parameters.samples = fields.optional_integer("samples", 1, 1'000'000).value_or(0);
  parameters.max_new_tokens =
      fields.optional_integer("max_new_tokens", 1, 100'000).value_or(parameters.max_new_tokens);
  parameters.prompt = read_prompt_template(fields, "prompt", kPrompt,
                                           {.required = {"context", "question"}, .optional = {}});
  parameters.answer = read_prompt_template(fields, "answer", kAnswer,
                                           {.required = {"gold"}, .optional = {"question"}});
  read_questions(fields, definition, parameters);
  read_sentences(fields, definition, parameters);
  return std::make_unique<BabilongTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
