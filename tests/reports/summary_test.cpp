#include "reports/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/demo_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::reports {
namespace {

using testing::HasSubstr;

Results demo() {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  return read_results(folder / "demo.db", std::nullopt);
}

TEST(Summary, ATasksShapeFollowsItsAxes) {
  const Results results = demo();
  EXPECT_EQ(shape_of(results, 0), Shape::kCurve);
  EXPECT_EQ(shape_of(results, 1), Shape::kGrid);
  EXPECT_EQ(shape_of(results, 2), Shape::kTable);
}

TEST(Summary, AGridIsPooledOverItsDepthsWithWilsonsInterval) {
  const Results results = demo();
  const std::vector<Curve> all = curves(results, 1);
  // ALiBi at 512: every depth is right, 4 depths with 20 samples and one with 4: 84 of 84.
  const CurvePoint& point = all[1].points[2];
  EXPECT_EQ(point.length, 512);
  EXPECT_EQ(point.metric.n, 84);
  EXPECT_EQ(point.metric.value, 1.0);
  // Wilson at 84/84: 84 / (84 + 1.959964^2).
  EXPECT_NEAR(*point.metric.ci_low, 0.956268, 1e-5);
  EXPECT_NEAR(*point.metric.ci_high, 1.0, 1e-12);
}

TEST(Summary, ASkippedLengthHasNoValueButAReason) {
  const Results results = demo();
  const CurvePoint point = curves(results, 1)[0].points[0];
  EXPECT_EQ(point.length, 128);
  EXPECT_FALSE(point.metric.value.has_value());
  EXPECT_THAT(point.note, HasSubstr("infeasible"));
}

TEST(Summary, FindingsNameTheBestAndTheChange) {
  const std::vector<std::string> sentences = findings(demo());
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[0],
              HasSubstr("At 8k tokens, alibi-60m has the best perplexity (24.0), before fope-60m"));
  // 24 * 16^0.85 = 253.4
  EXPECT_THAT(
      sentences[0],
      HasSubstr("rope-60m goes from 24.0 at its training length of 512 to 253 at 8k (16x)."));
}

/// Two or more models with one value each at one length, and the findings about them.
std::string finding(const std::vector<Metric>& metrics, const tasks::Meaning& meaning) {
  Results results;
  results.tasks.push_back({.name = "t", .headline = "m", .meaning = meaning});
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    results.models.push_back({.name = std::string(1, static_cast<char>('a' + i))});
    Cell cell{.key = "", .model = i, .length = 1024, .status = "ok"};
    cell.metrics.push_back(metrics[i]);
    cell.metrics.back().name = "m";
    cell.metrics.back().meaning = meaning;
    results.cells.push_back(cell);
  }
  const std::vector<std::string> sentences = findings(results);
  return sentences.empty() ? "" : sentences.front();
}

Metric value(double at, double low, double high) {
  return {.name = "m", .value = at, .standard_error = {}, .ci_low = low, .ci_high = high, .n = 20};
}

TEST(Summary, NobodyIsBestAmongZeros) {
  const std::vector<Metric> zeros(2, value(0, 0, 0.16));
  EXPECT_EQ(finding(zeros, tasks::kShareMeaning), "t: At 1k tokens, no model scores above 0.0 %.");
}

TEST(Summary, NobodyIsBestWhereTheTwoBestIntervalsOverlap) {
  const std::vector<Metric> close{value(0.5, 0.3, 0.7), value(0.9, 0.7, 0.98), value(1, 0.84, 1)};
  EXPECT_EQ(finding(close, tasks::kShareMeaning),
            "t: At 1k tokens, the 95 % intervals of c (100.0 %), b (90.0 %) overlap.");
}

TEST(Summary, TheBestIsNamedWhereItsIntervalIsApart) {
  const std::vector<Metric> apart{value(12, 11, 13), value(4, 3.9, 4.1)};
  EXPECT_EQ(finding(apart, tasks::kPerplexityMeaning),
            "t: At 1k tokens, b has the best m (4.000), before a (12.0).");
}

// A lower LongPPL is better, whatever its name looks like.
TEST(Summary, TheDirectionIsThatOfTheStore) {
  const std::vector<Metric> apart{value(12, 11, 13), value(4, 3.9, 4.1)};
  EXPECT_EQ(finding(apart, tasks::kNatsMeaning),
            "t: At 1k tokens, b has the best m (4.000), before a (12.0).");
  EXPECT_EQ(finding(apart, {.better = tasks::Meaning::Better::kHigher}),
            "t: At 1k tokens, a has the best m (12.0), before b (4.000).");
}

TEST(Summary, CurvesOfTwoVariantsStayApart) {
  Results results;
  results.tasks.push_back({.name = "t", .headline = "m", .meaning = tasks::kPerplexityMeaning});
  results.models.push_back({.name = "a"});
  for (const char* const variant : {"longest=1024", "longest=2048"}) {
    Cell cell{.key = "", .length = 512, .variant = variant, .status = "ok"};
    cell.metrics.push_back(value(variant == std::string("longest=1024") ? 4 : 5, 3, 6));
    cell.samples = {.ok = 64, .documents = 20};
    results.cells.push_back(cell);
  }
  const std::vector<Curve> all = curves(results, 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].points[0].metric.value, 4);
  EXPECT_EQ(all[1].points[0].metric.value, 5);
  EXPECT_EQ(curve_name(results, all, all[1]), "a (longest=2048)");
  EXPECT_EQ(common_variant(all), "");
  EXPECT_EQ(ran_text(results, 0), "n = 20 documents a cell (64 samples)");
}

}  // namespace
}  // namespace yardstick::reports
