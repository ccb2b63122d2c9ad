// Text metrics against reference implementations, case by case. The file beside this one holds
// inputs written for the purpose and what these programs give for them: sacrebleu 2.6.0 (bleu,
// chrf), rouge_score's scorer with NLTK 3.10.3's stemmer (rouge1, rouge2, rougeL, rougeLsum), rouge
// 1.0.1 and LongBench's metrics.py of January 2025 with thefuzz 0.22.1 (the rest).
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/yaml.hpp"
#include "tasks/metrics/generation_metrics.hpp"

namespace yardstick::tasks {
namespace {

std::vector<nlohmann::json> reference_cases() {
  std::ifstream file("tests/tasks/reference_metrics.jsonl");
  std::vector<nlohmann::json> cases;
  for (std::string line; std::getline(file, line);) cases.push_back(nlohmann::json::parse(line));
  return cases;
}

std::unique_ptr<const GenerationMetric> metric_of(const nlohmann::json& entry) {
  const Located located(entry, "metric_list");
  Fields fields(located, "", "a metric");
  return make_generation_metric(fields, "");
}

SampleScore score_of(const GenerationMetric& metric, const std::string& prediction,
                     const std::vector<std::string>& references) {
  return {.values = metric.values(prediction, references)};
}

TEST(ReferenceMetrics, SamplesScoreAsTheReferenceImplementationsDo) {
  const std::vector<nlohmann::json> cases = reference_cases();
  ASSERT_GE(cases.size(), 100U);
  for (const nlohmann::json& row : cases) {
    if (!row.contains("metric")) continue;
    nlohmann::json entry = {{"metric", row.at("metric")}};
    if (row.contains("stem")) entry["use_stemmer"] = row.at("stem");
    if (row.contains("classes")) entry["classes"] = row.at("classes");
    const auto metric = metric_of(entry);
    const SampleScore score = score_of(*metric, row.at("prediction"), row.at("references"));
    EXPECT_NEAR(metric->aggregate({&score, 1}, 0)->value, row.at("value").get<double>(), 1e-9)
        << row.dump();
  }
}

TEST(ReferenceMetrics, CorporaScoreFromSumsOfTheirSamplesCounts) {
  int corpora = 0;
  for (const nlohmann::json& row : reference_cases()) {
    if (!row.contains("corpus")) continue;
    ++corpora;
    const auto metric = metric_of({{"metric", row.at("corpus")}});
    std::vector<SampleScore> scores;
    for (std::size_t i = 0; i < row.at("predictions").size(); ++i) {
      scores.push_back(score_of(*metric, row.at("predictions")[i], row.at("references")[i]));
    }
    const MetricValue value = metric->aggregate(scores, 1).value();
    EXPECT_NEAR(value.value, row.at("value").get<double>(), 1e-9) << row.dump();
    EXPECT_EQ(value.n, std::ssize(scores));
    EXPECT_LE(value.ci_low.value(), value.ci_high.value());
  }
  EXPECT_GE(corpora, 4);
}

}  // namespace
}  // namespace yardstick::tasks
