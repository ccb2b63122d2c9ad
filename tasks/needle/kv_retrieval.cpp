// Key-value retrieval: a JSON object of random pairs, one key asked for (Liu et al. 2023, "Lost in
// the Middle", arXiv 2307.03172).
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/random.hpp"
#include "tasks/data/subset.hpp"
#include "tasks/kinds.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/needle/fit.hpp"
#include "tasks/needle/gold_place.hpp"
#include "tasks/needle/gold_task.hpp"
#include "tasks/needle/item_records.hpp"
#include "tasks/needle/prompt_template.hpp"
#include "tasks/needle/words.hpp"

namespace yardstick::tasks {
namespace {

constexpr int kVersion = 1;  // raise it when the same parameters would give other numbers
constexpr std::string_view kUnit = "keys";
constexpr std::int64_t kLeastKeys = 2;
constexpr std::string_view kPrompt =
    "Extract the value corresponding to the specified key in the JSON object below.\n\nJSON "
    "data:\n{{records}}\n\nKey: \"{{key}}\"\nCorresponding value:";
constexpr std::string_view kForm =
    "{\"ordered_kv_records\": [[key, value], ...], \"key\": text, \"value\": text}";

struct Pair {
  std::string key;
  std::string value;
};

/// A record of a file.
struct Item {
  std::string id;
  Pair gold;
  std::vector<Pair> others;
};

struct Parameters {
  explicit Parameters(Fields& fields) : places(fields, kUnit, kLeastKeys) {}

  GoldPlaces places;
  std::vector<std::int64_t> lengths;  ///< in place of the suite's, if not empty
  std::vector<Item> items;            ///< empty: pairs are drawn
  std::int64_t samples = 0;
  std::int64_t max_new_tokens = 100;
  Template prompt{"", ""};
  std::string answer_prefix;
};

std::string member_of(const Pair& pair) {
  return fmt::format("\"{}\": \"{}\"", pair.key, pair.value);
}

class KvRetrievalTask final : public Task {
 public:
  explicit KvRetrievalTask(Parameters parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::string_view kind() const override { return "kv_retrieval"; }
  [[nodiscard]] std::string protocol() const override;
  [[nodiscard]] Headline headline() const override {
    return {.metric = "strict_match", .better = Headline::Better::kHigher};
  }
  [[nodiscard]] std::vector<CellAxes> cells(std::span<const std::int64_t> lengths) const override {
    return parameters_.places.cells(
        parameters_.lengths.empty() ? lengths : std::span<const std::int64_t>(parameters_.lengths));
  }
  void describe(Fingerprint& fingerprint) const override;
  [[nodiscard]] Built build(const CellAxes& cell, const BuildContext& context) const override;
  [[nodiscard]] SampleScore score(const Sample& sample, std::span<const Response> responses,
                                  const TextCodec& codec) const override {
    return score_answer(sample, responses, codec, Needed::kAll);
  }
  [[nodiscard]] std::vector<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                   std::uint64_t /*seed*/) const override {
    return summarize_answers(scores);
  }

 private:
  [[nodiscard]] BuiltSample ask(std::string id, const Pair& gold, std::int64_t most,
                                const std::function<Pair(std::int64_t)>& other,
                                const CellAxes& cell, const TextCodec& codec) const;
  [[nodiscard]] BuiltSample ask_item(const Item& item, const CellAxes& cell,
                                     const TextCodec& codec) const;
  [[nodiscard]] BuiltSample ask_drawn(std::size_t index, const CellAxes& cell,
                                      const BuildContext& context) const;

  Parameters parameters_;
};

std::string KvRetrievalTask::protocol() const {
  return fmt::format(
      "kv_retrieval v{}: {} samples, {} pairs, {}, one key asked for, greedy, {} "
      "new tokens",
      kVersion, parameters_.samples, parameters_.items.empty() ? "random uuid" : "given",
      parameters_.places.describe(), parameters_.max_new_tokens);
}

void KvRetrievalTask::describe(Fingerprint& fingerprint) const {
  fingerprint.add("task.kind", kind())
      .add("task.implementation", kVersion)
      .add("samples", parameters_.samples)
      .add("max_new_tokens", parameters_.max_new_tokens)
      .add("prompt", parameters_.prompt.text())
      .add("answer_prefix", parameters_.answer_prefix);
  for (const Item& item : parameters_.items) {
    fingerprint.add("id", item.id).add("gold", member_of(item.gold));
    for (const Pair& other : item.others) fingerprint.add("pair", member_of(other));
  }
}

BuiltSample KvRetrievalTask::ask(std::string id, const Pair& gold, std::int64_t most,
                                 const std::function<Pair(std::int64_t)>& other,
                                 const CellAxes& cell, const TextCodec& codec) const {
  // The gold pair is counted as the first; its place changes the count by no more than borders do.
  UnitRun pairs(codec, [&](std::int64_t i) {
    return Unit{.body = member_of(i == 0 ? gold : other(i - 1)), .separator = ",\n "};
  });
  const auto records = [&](std::int64_t n, std::int64_t place) {
    std::string out = "{";
    for (std::int64_t i = 0; i < n; ++i) {
      out += pairs.at(i == place ? 0 : i < place ? i + 1 : i).body;
      out += i + 1 < n ? pairs.at(0).separator : "}";
    }
    return out;
  };
  return ask_for_gold(
      {.id = std::move(id),
       .least = kLeastKeys,
       .most = most,
       .prompt =
           [&](std::int64_t n, std::int64_t place) {
             return parameters_.prompt.render({{"records", records(n, place)}, {"key", gold.key}});
           },
       .gold = [&](std::int64_t, std::int64_t) { return member_of(gold); },
       .tokens = [&](std::int64_t n) { return pairs.tokens(n); },
       .answers = {gold.value},
       .continuation = parameters_.answer_prefix + gold.value,
       .facts = {{"key", gold.key}}},
      {.kind = kind(), .unit = kUnit, .max_new_tokens = parameters_.max_new_tokens},
      parameters_.places, cell, codec);
}

BuiltSample KvRetrievalTask::ask_item(const Item& item, const CellAxes& cell,
                                      const TextCodec& codec) const {
  return ask(
      "kv_retrieval/" + item.id, item.gold, std::ssize(item.others) + 1,
      [&](std::int64_t i) { return item.others[static_cast<std::size_t>(i)]; }, cell, codec);
}

BuiltSample KvRetrievalTask::ask_drawn(std::size_t index, const CellAxes& cell,
                                       const BuildContext& context) const {
  // One stream for all depths and counts: the same pairs, the gold one moved.
  Random random(context.seed, "kv_retrieval", index);
  const WordPool no_words = WordPool::singles();
  UniqueDraws draws(no_words, "");
  const auto draw = [&] {
    std::string key = draws.draw(NeedlePart::kUuids, random);
    return Pair{.key = std::move(key), .value = draws.draw(NeedlePart::kUuids, random)};
  };
  const Pair gold = draw();
  return ask(
      fmt::format("kv_retrieval/{:04}", index), gold, std::numeric_limits<std::int32_t>::max(),
      [&](std::int64_t) { return draw(); }, cell, context.codec);
}

Task::Built KvRetrievalTask::build(const CellAxes& cell, const BuildContext& context) const {
  Subset subset = context.subset;
  subset.limit = std::min(parameters_.samples, subset.limit.value_or(parameters_.samples));
  if (parameters_.items.empty()) {
    // Samples are independent draws, so the first ones are a random subset already, and nested.
    return build_each(static_cast<std::size_t>(*subset.limit),
                      [&](std::size_t i) { return ask_drawn(i, cell, context); });
  }
  const std::vector<std::size_t> chosen =
      choose_subset(parameters_.items.size(), subset, context.seed, "kv_retrieval");
  return build_each(chosen.size(), [&](std::size_t i) {
    return ask_item(parameters_.items[chosen[i]], cell, context.codec);
  });
}

Item read_item(const ItemRecord& record) {
  Item item{.id = record.id(),
            .gold = {.key = record.text("key"), .value = record.text("value")},
            .others = {}};
  std::set<std::string> keys;
  bool has_gold = false;
  for (const nlohmann::ordered_json& pair : record.list("ordered_kv_records")) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      throw record.error(fmt::format("found {} for a pair", pair.dump()));
    }
    Pair read{.key = pair[0].get<std::string>(), .value = pair[1].get<std::string>()};
    if (!keys.insert(read.key).second) {
      throw record.error(fmt::format("the key '{}' stands there twice", read.key));
    }
    if (read.key != item.gold.key) {
      item.others.push_back(std::move(read));
    } else if (read.value == item.gold.value) {
      has_gold = true;
    }
  }
  if (!has_gold) throw record.error("the pair of 'key' and 'value' is not among the records");
  return item;
}

}  // namespace

std::unique_ptr<const Task> make_kv_retrieval(Fields& fields, const TaskDefinition& definition) {
  Parameters parameters(fields);
  parameters.lengths = fields.lengths("lengths");
  parameters.max_new_tokens =
      fields.optional_integer("max_new_tokens", 1, 100'000).value_or(parameters.max_new_tokens);
  parameters.prompt = read_prompt_template(fields, "prompt", kPrompt,
                                           {.required = {"records", "key"}, .optional = {}});
  parameters.answer_prefix = fields.optional_text("answer_prefix").value_or(" \"");
  parameters.items = read_items(read_files(fields, "data", definition.base), kForm, read_item);
  if (fields.has("data") && parameters.items.empty()) {
    throw fields.error("data", "there is no record to ask");
  }
  parameters.samples = fields.optional_integer("samples", 1, 1'000'000)
                           .value_or(parameters.items.empty() ? 20 : std::ssize(parameters.items));
  return std::make_unique<KvRetrievalTask>(std::move(parameters));
}

}  // namespace yardstick::tasks
