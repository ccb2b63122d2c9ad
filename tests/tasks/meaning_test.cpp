// What every metric of every kind of task says that its number means.
#include "tasks/metrics/meaning.hpp"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/yaml.hpp"
#include "tasks/downstream/choice_summary.hpp"
#include "tasks/metrics/generation_metrics.hpp"
#include "tasks/needle/answered_prompt.hpp"
#include "tasks/perplexity/summary.hpp"

namespace yardstick::tasks {
namespace {

std::string words_of(const Meaning& meaning) {
  return fmt::format("{} {} {}", to_string(meaning.unit), to_string(meaning.better),
                     to_string(meaning.scale));
}

std::map<std::string, std::string> words_of(const std::vector<MetricValue>& metrics) {
  std::map<std::string, std::string> words;
  for (const MetricValue& metric : metrics) words[metric.name] = words_of(metric.meaning);
  return words;
}

std::vector<SampleScore> scores_of(const std::map<std::string, double>& values) {
  std::vector<SampleScore> scores;
  for (const char* const id : {"a", "b"}) {
    scores.push_back({.sample_id = id, .document_id = id, .values = values});
    scores.back().details = {{"category", "law"}};
  }
  return scores;
}

const std::string kShare = "share higher linear";
const std::string kPerplexity = "perplexity lower logarithmic";
const std::string kNats = "nats lower linear";
const std::string kBits = "bits lower linear";
const std::string kTokens = "tokens neither linear";

TEST(Meaning, ItsWordsAreReadBack) {
  for (const Meaning& meaning :
       {kShareMeaning, kPerplexityMeaning, kNatsMeaning, kBitsMeaning, kTokensMeaning,
        kDocumentsMeaning, Meaning{.unit = Meaning::Unit::kPoints}}) {
    EXPECT_EQ(
        parse_meaning(to_string(meaning.unit), to_string(meaning.better), to_string(meaning.scale)),
        meaning);
  }
  EXPECT_EQ(parse_meaning("furlongs", "higher", "linear"), std::nullopt);
}

TEST(Meaning, OfPerplexities) {
  const std::vector<SampleScore> scores =
      scores_of({{"sum_nll", 4}, {"tokens", 2}, {"bytes", 8}, {"words", 1}});
  const SummaryPlan plan{.samples = SummaryPlan::Samples::kMeanOfWindows,
                         .documents = SummaryPlan::Documents::kSeparate};
  const std::map<std::string, std::string> expected = {
      {"perplexity", kPerplexity},
      {"nll_per_token", kNats},
      {"perplexity_mean_of_windows", kPerplexity},
      {"bits_per_byte", kBits},
      {"byte_perplexity", kPerplexity},
      {"word_perplexity", kPerplexity},
      {"document_perplexity_mean", kPerplexity},
      {"tokens_scored", kTokens},
      {"tokens_skipped", kTokens},
      {"documents_skipped", "documents neither linear"}};
  EXPECT_EQ(words_of(summarize_losses(scores, plan, 1)), expected);
}

TEST(Meaning, OfNeedles) {
  const std::vector<SampleScore> scores = scores_of({{"strict_match", 1},
                                                     {"ruler_match", 1},
                                                     {"exact_match", 0},
                                                     {"answer_nll", 3},
                                                     {"answer_tokens", 2},
                                                     {"prompt_tokens", 100}});
  const std::map<std::string, std::string> expected = {
      {"strict_match", kShare}, {"ruler_match", kShare},         {"exact_match", kShare},
      {"answer_nll", kNats},    {"answer_nll_per_token", kNats}, {"prompt_tokens", kTokens}};
  EXPECT_EQ(words_of(summarize_answers(scores)), expected);
}

TEST(Meaning, OfChoicesAgreesWithTheirHeadlines) {
  const std::vector<SampleScore> scores = scores_of({{"acc", 1},
                                                     {"acc_char", 1},
                                                     {"acc_byte", 1},
                                                     {"acc_token", 0},
                                                     {"acc_pmi", 1},
                                                     {"tie", 0},
                                                     {"margin", 0.5},
                                                     {"gold", 1},
                                                     {"gold_nll", 2},
                                                     {"gold_bytes", 4},
                                                     {"prediction", 1},
                                                     {"exact_match", 1},
                                                     {"brier_score", 0.2},
                                                     {"acc_pmi_ratio", 1}});
  ChosenMetrics all;
  for (const KnownMetric& metric : choice_metrics()) all.names.emplace_back(metric.name);
  const std::vector<MetricValue> metrics = summarize_choices(scores, all, 1);
  const std::map<std::string, std::string> words = words_of(metrics);
  EXPECT_EQ(words.at("acc"), kShare);
  EXPECT_EQ(words.at("acc/law"), kShare);
  EXPECT_EQ(words.at("f1"), kShare);
  EXPECT_EQ(words.at("mcc"), "number higher linear");
  EXPECT_EQ(words.at("brier_score"), "number lower linear");
  EXPECT_EQ(words.at("margin"), "nats higher linear");
  EXPECT_EQ(words.at("ties"), "samples lower linear");
  EXPECT_EQ(words.at("gold_bits_per_byte"), kBits);
  for (const KnownMetric& known : choice_metrics()) {
    for (const MetricValue& metric : metrics) {
      if (metric.name == known.name) {
        EXPECT_EQ(metric.meaning.better, meaning_of(known.better)) << known.name;
      }
    }
  }
}

Meaning generated(const std::string& yaml) {
  const Located entry = parse_yaml(yaml, "task.yaml");
  Fields fields(entry, "", "a metric");
  const auto metric = make_generation_metric(fields, "");
  SampleScore score{.sample_id = "a", .document_id = "a"};
  score.values = metric->values("a", std::vector<std::string>{"a"});
  return metric->aggregate({&score, 1}, 1).value().meaning;
}

TEST(Meaning, OfGeneratedText) {
  for (const std::string& name : generation_metric_names()) {
    const std::string options = name == "longbench_classification" ? "\nclasses: [a, b]" : "";
    const bool is_corpus = name == "bleu" || name == "chrf";
    EXPECT_EQ(words_of(generated("metric: " + name + options)),
              is_corpus ? "points higher linear" : kShare)
        << name;
  }
  EXPECT_EQ(words_of(generated("metric: exact\naggregation: sum")), "number higher linear");
  EXPECT_EQ(words_of(generated("metric: exact\naggregation: max")), kShare);
  EXPECT_EQ(words_of(generated("metric: exact\nhigher_is_better: false")), "share lower linear");
}

}  // namespace
}  // namespace yardstick::tasks
