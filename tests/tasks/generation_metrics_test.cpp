#include "tasks/metrics/generation_metrics.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/yaml.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::tasks {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

std::unique_ptr<const GenerationMetric> metric_from(const std::string& yaml,
                                                    std::string_view filter = "") {
  const Located entry = parse_yaml(yaml, "task.yaml");
  Fields fields(entry, "", "a metric");
  return make_generation_metric(fields, filter);
}

std::vector<SampleScore> scores_of(const std::string& name, const std::vector<double>& values) {
  std::vector<SampleScore> scores;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string id = "sample-" + std::to_string(i);
    scores.push_back({.sample_id = id, .document_id = id, .values = {{name, values[i]}}});
  }
  return scores;
}

TEST(GenerationMetrics, EveryNameCanBeMadeAndNamesItself) {
  for (const std::string& name : generation_metric_names()) {
    const std::string options = name == "longbench_classification" ? "\nclasses: [a, b]" : "";
    const auto metric = metric_from("metric: " + name + options);
    EXPECT_EQ(metric->name(), name);
    EXPECT_FALSE(metric->definition().empty());
    EXPECT_EQ(metric->better(), Task::Headline::Better::kHigher);
    EXPECT_TRUE(metric->problem({}).has_value()) << name;
    EXPECT_EQ(metric->aggregate({}, 0), std::nullopt) << name;
    for (const auto& [value, number] : metric->values("a", Texts{"a"})) {
      EXPECT_TRUE(value.starts_with(name)) << value;
    }
  }
}

TEST(GenerationMetrics, TheBestReferenceCounts) {
  EXPECT_EQ(metric_from("metric: exact_match")->values("b", Texts{"a", "b"}).at("exact_match"), 1);
  EXPECT_EQ(metric_from("metric: exact_match")->values("B", Texts{"a", "b"}).at("exact_match"), 0);
  EXPECT_DOUBLE_EQ(metric_from("metric: f1")->values("a red cat", Texts{"blue", "red"}).at("f1"),
                   2.0 / 3);
  EXPECT_DOUBLE_EQ(
      metric_from("metric: ruler_all")->values("only 12", Texts{"12", "34"}).at("ruler_all"), 0.5);
  EXPECT_EQ(metric_from("metric: ruler_any")->values("only 12", Texts{"12", "34"}).at("ruler_any"),
            1);
}

TEST(GenerationMetrics, ExactMatchHasTheOptionsOfTaskFiles) {
  const auto metric = metric_from(
      "metric: exact_match\n"
      "aggregation: mean\n"
      "higher_is_better: true\n"
      "ignore_case: true\n"
      "ignore_punctuation: false\n"
      "regexes_to_ignore:\n"
      "  - \",\"\n"
      "  - \"\\\\$\"\n"
      "  - \"(?s).*#### \"\n"
      "  - \"\\\\.$\"\n",
      "strict-match");
  EXPECT_EQ(metric->name(), "exact_match,strict-match");
  EXPECT_EQ(metric->values("so\n#### $1,200.", Texts{"1200"}).at(metric->name()), 1);
  EXPECT_THAT(metric->definition(), HasSubstr("case ignored"));
}

TEST(GenerationMetrics, B81AGoldThatIsEmptyIsNamedNotScored) {
  EXPECT_THAT(metric_from("metric: f1")->problem(Texts{"The"}).value(),
              HasSubstr("the right answer 'The' is empty without punctuation and articles"));
  EXPECT_TRUE(metric_from("metric: substring_exact_match")->problem(Texts{"!!!"}).has_value());
  EXPECT_TRUE(
      metric_from("metric: exact_match\nignore_numbers: true")->problem(Texts{"314"}).has_value());
  EXPECT_TRUE(metric_from("metric: number")->problem(Texts{"twelve"}).has_value());
  EXPECT_TRUE(metric_from("metric: rougeL")->problem(Texts{"\u6771\u4EAC"}).has_value());
  EXPECT_TRUE(metric_from("metric: bleu")->problem(Texts{" "}).has_value());
  // One alias that nothing can meet does no harm where the best of them counts; where each counts
  // it does.
  EXPECT_EQ(metric_from("metric: f1")->problem(Texts{"The", "cat"}), std::nullopt);
  EXPECT_TRUE(metric_from("metric: ruler_all")->problem(Texts{"", "cat"}).has_value());
}

TEST(GenerationMetrics, SharesHaveWilsonsInterval) {
  const auto metric = metric_from("metric: exact_match");
  const auto scores = scores_of("exact_match", {1, 1, 1, 1, 1});
  const MetricValue value = metric->aggregate(scores, 0).value();
  EXPECT_DOUBLE_EQ(value.value, 1);
  EXPECT_NEAR(value.ci_low.value(), 0.566, 5e-4);  // 5 of 5, users of needle grids
  EXPECT_EQ(value.n, 5);
}

TEST(GenerationMetrics, SamplesThatWereNotScoredStayOut) {
  auto scores = scores_of("f1", {0.5, 1.0, 0.0});
  scores[2].status = SampleStatus::kNonFinite;
  scores[2].values.clear();
  const MetricValue value = metric_from("metric: f1")->aggregate(scores, 0).value();
  EXPECT_DOUBLE_EQ(value.value, 0.75);
  EXPECT_EQ(value.n, 2);
  // Sample SD 0.5 / sqrt 2 over sqrt 2.
  EXPECT_NEAR(value.standard_error.value(), 0.25, 1e-12);
}

TEST(GenerationMetrics, SamplesOfOneDocumentAreOneUnit) {
  auto scores = scores_of("exact_match", {1, 1, 0, 0});
  scores[1].document_id = scores[0].document_id;
  scores[3].document_id = scores[2].document_id;
  const MetricValue value = metric_from("metric: exact_match")->aggregate(scores, 0).value();
  // Two clusters with sums of deviations +1 and -1: sqrt(2/1 * 2) / 4 = 0.5.
  EXPECT_DOUBLE_EQ(value.standard_error.value(), 0.5);
  EXPECT_DOUBLE_EQ(value.ci_low.value(), 0);
  EXPECT_DOUBLE_EQ(value.ci_high.value(), 1);
  EXPECT_EQ(value.n, 4);
}

TEST(GenerationMetrics, AggregationsOfSamples) {
  const auto scores = scores_of("f1", {0.1, 0.9, 0.2, 0.4});
  const auto value = [&](const std::string& aggregation) {
    return metric_from("metric: f1\naggregation: " + aggregation)->aggregate(scores, 3).value();
  };
  EXPECT_DOUBLE_EQ(value("mean").value, 0.4);
  EXPECT_NEAR(value("median").value, 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(value("max").value, 0.9);
  EXPECT_NEAR(value("sum").value, 1.6, 1e-12);
  EXPECT_FALSE(value("max").standard_error.has_value());
  EXPECT_GT(value("median").standard_error.value(), 0);
  EXPECT_EQ(value("sum").ci_low, value("sum").ci_low);
}

TEST(GenerationMetrics, ACorpusIsNotTheMeanOfItsSamples) {
  const auto metric = metric_from("metric: bleu\naggregation: bleu\nhigher_is_better: true");
  const std::vector<std::pair<std::string, std::string>> pairs = {{"a b c d e", "a b c d e"},
                                                                  {"a x c y", "a b c d"}};
  std::vector<SampleScore> scores;
  for (const auto& [prediction, reference] : pairs) {
    scores.push_back(
        {.document_id = prediction, .values = metric->values(prediction, Texts{reference})});
  }
  // Sums: 7/9, 4/7, 3/5, 2/3; lengths 9 and 9.
  const MetricValue value = metric->aggregate(scores, 1).value();
  EXPECT_NEAR(value.value, 100 * std::pow(7.0 / 9 * 4 / 7 * 3 / 5 * 2 / 3, 0.25), 1e-9);
  EXPECT_EQ(value.n, 2);
  EXPECT_EQ(metric->aggregate(scores, 1)->standard_error, value.standard_error);
}

TEST(GenerationMetrics, MistakesAreNamedWithPlaceAndNearestName) {
  const auto message = [](const std::string& yaml) {
    return test::error_message([&] { (void)metric_from(yaml); });
  };
  EXPECT_THAT(message("metric: rougel"), HasSubstr("task.yaml:1:9"));
  EXPECT_THAT(message("metric: exact_macth"), HasSubstr("did you mean 'exact_match'?"));
  EXPECT_THAT(message("metric: f1\nignore_case: true"), HasSubstr("ignore_case"));
  EXPECT_THAT(message("metric: f1\naggregation: mode"), HasSubstr("aggregation"));
  EXPECT_THAT(message("metric: bleu\naggregation: mean"), HasSubstr("task.yaml:2:14"));
  EXPECT_THAT(message("metric: bleu\nhf_evaluate: true"), HasSubstr("hf_evaluate"));
  EXPECT_THAT(message("metric: exact_match\nregexes_to_ignore: ['(']"),
              HasSubstr("does not compile"));
  EXPECT_THAT(message("metric: longbench_classification"), HasSubstr("classes"));
}

}  // namespace
}  // namespace yardstick::tasks
