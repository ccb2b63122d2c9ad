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

}  // namespace
}  // namespace yardstick::reports
