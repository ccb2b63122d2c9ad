#include "harness/store/metric_meanings.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

#include "tasks/metrics/meaning.hpp"

namespace yardstick::harness {
namespace {

using tasks::Meaning;

struct Entry {
  std::string_view name;
  Meaning meaning;
};

constexpr Meaning kPoints{.unit = Meaning::Unit::kPoints, .better = Meaning::Better::kHigher};
constexpr Meaning kLowerNumber{.better = Meaning::Better::kLower};

// Every name that a task of schema 1 wrote, without the filter behind a comma and without the
// category behind "acc/".
constexpr std::array kEntries = std::to_array<Entry>({
    {"acc", tasks::kShareMeaning},
    {"acc_byte", tasks::kShareMeaning},
    {"acc_char", tasks::kShareMeaning},
    {"acc_pmi", tasks::kShareMeaning},
    {"acc_pmi_ratio", tasks::kShareMeaning},
    {"acc_token", tasks::kShareMeaning},
    {"accuracy", tasks::kShareMeaning},
    {"answer_nll", tasks::kNatsMeaning},
    {"answer_nll_per_token", tasks::kNatsMeaning},
    {"babilong_match", tasks::kShareMeaning},
    {"best_subspan_em", tasks::kShareMeaning},
    {"bits_per_byte", tasks::kBitsMeaning},
    {"bleu", kPoints},
    {"brier_score", kLowerNumber},
    {"byte_perplexity", tasks::kPerplexityMeaning},
    {"chrf", kPoints},
    {"contains_token", tasks::kShareMeaning},
    {"document_perplexity_mean", tasks::kPerplexityMeaning},
    {"documents_skipped", tasks::kDocumentsMeaning},
    {"exact", tasks::kShareMeaning},
    {"exact_match", tasks::kShareMeaning},
    {"f1", tasks::kShareMeaning},
    {"f1_index0", tasks::kShareMeaning},
    {"gold_bits_per_byte", tasks::kBitsMeaning},
    {"infinitebench_first_number", tasks::kShareMeaning},
    {"infinitebench_key_value", tasks::kShareMeaning},
    {"key_tokens", tasks::kTokensMeaning},
    {"longbench_classification", tasks::kShareMeaning},
    {"longbench_code_similarity", tasks::kShareMeaning},
    {"longbench_count", tasks::kShareMeaning},
    {"longbench_retrieval", tasks::kShareMeaning},
    {"longbench_rouge_l", tasks::kShareMeaning},
    {"longppl", tasks::kPerplexityMeaning},
    {"margin", {.unit = Meaning::Unit::kNats, .better = Meaning::Better::kHigher}},
    {"mcc", {.better = Meaning::Better::kHigher}},
    {"nll_per_token", tasks::kNatsMeaning},
    {"number", tasks::kShareMeaning},
    {"perplexity", tasks::kPerplexityMeaning},
    {"perplexity_mean_of_windows", tasks::kPerplexityMeaning},
    {"prompt_tokens", tasks::kTokensMeaning},
    {"rouge1", tasks::kShareMeaning},
    {"rouge2", tasks::kShareMeaning},
    {"rougeL", tasks::kShareMeaning},
    {"rougeLsum", tasks::kShareMeaning},
    {"ruler_all", tasks::kShareMeaning},
    {"ruler_any", tasks::kShareMeaning},
    {"ruler_match", tasks::kShareMeaning},
    {"squad_em", tasks::kShareMeaning},
    {"strict_match", tasks::kShareMeaning},
    {"substring_exact_match", tasks::kShareMeaning},
    {"ties", {.unit = Meaning::Unit::kSamples, .better = Meaning::Better::kLower}},
    {"token_perplexity", tasks::kPerplexityMeaning},
    {"tokens_scored", tasks::kTokensMeaning},
    {"tokens_skipped", tasks::kTokensMeaning},
    {"word_perplexity", tasks::kPerplexityMeaning},
});

Meaning meaning_of(std::string_view name) {
  name = name.substr(0, name.find(','));
  if (name.starts_with("acc/")) name = "acc";
  const auto found = std::find_if(kEntries.begin(), kEntries.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == kEntries.end() ? Meaning{} : found->meaning;
}

void fill_by_name(SQLite::Database& database) {
  std::vector<std::string> names;
  SQLite::Statement stored(database, "SELECT DISTINCT name FROM metric");
  while (stored.executeStep()) names.push_back(stored.getColumn(0).getString());
  SQLite::Statement update(database,
                           "UPDATE metric SET unit = ?, better = ?, scale = ? WHERE name = ?");
  for (const std::string& name : names) {
    const Meaning meaning = meaning_of(name);
    update.bind(1, std::string(to_string(meaning.unit)));
    update.bind(2, std::string(to_string(meaning.better)));
    update.bind(3, std::string(to_string(meaning.scale)));
    update.bind(4, name);
    update.exec();
    update.reset();
  }
}

// Generated text alone is scored by metrics whose direction and aggregation the task file chooses.
void fill_by_definition(SQLite::Database& database) {
  SQLite::Statement stored(database,
                           "SELECT id, definition FROM task WHERE kind = 'generate_until'");
  constexpr std::string_view kOfTask =
      " WHERE (name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || ',') AND cell_id IN "
      "(SELECT id FROM cell WHERE task_id = ?2)";
  const auto set = [&](std::string_view what, const std::string& metric, std::int64_t task) {
    SQLite::Statement update(database,
                             "UPDATE metric SET " + std::string(what) + std::string(kOfTask));
    update.bind(1, metric);
    update.bind(2, task);
    update.exec();
  };
  while (stored.executeStep()) {
    const std::int64_t task = stored.getColumn(0).getInt64();
    const auto definition = nlohmann::json::parse(stored.getColumn(1).getString(), nullptr, false);
    if (!definition.is_object() || !definition.contains("metric_list")) continue;
    for (const nlohmann::json& entry : definition["metric_list"]) {
      if (!entry.is_object() || !entry.contains("metric")) continue;
      const std::string metric = entry.value("metric", "");
      if (entry.value("higher_is_better", nlohmann::json(true)) == false)
        set("better = 'lower'", metric, task);
      if (entry.value("aggregation", nlohmann::json("")) == "sum")
        set("unit = 'number'", metric, task);
    }
  }
}

}  // namespace

void add_metric_meanings(SQLite::Database& database) {
  for (const char* column : {"unit TEXT NOT NULL DEFAULT 'number'",
                             "better TEXT NOT NULL DEFAULT 'neither' "
                             "CHECK (better IN ('higher', 'lower', 'neither'))",
                             "scale TEXT NOT NULL DEFAULT 'linear' "
                             "CHECK (scale IN ('linear', 'logarithmic'))"}) {
    database.exec(std::string("ALTER TABLE metric ADD COLUMN ") + column);
  }
  fill_by_name(database);
  fill_by_definition(database);
  database.exec(
      "UPDATE metric SET better = t.better FROM cell c JOIN task t ON t.id = c.task_id "
      "WHERE c.id = metric.cell_id AND metric.name = t.headline");
}

}  // namespace yardstick::harness
