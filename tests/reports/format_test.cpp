#include "reports/format.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace yardstick::reports {
namespace {

TEST(ValueText, NeverPrintsNanAndNeverOverflows) {
  EXPECT_EQ(value_text("perplexity", std::nullopt), "");
  EXPECT_EQ(value_text("perplexity", std::nan("")), "");
  EXPECT_EQ(value_text("perplexity", std::numeric_limits<double>::infinity()), ">1e30");
  EXPECT_EQ(value_text("perplexity", 1e31), ">1e30");
}

TEST(ValueText, KeepsThreeToFourDigits) {
  EXPECT_EQ(value_text("perplexity", 4.3125), "4.312");
  EXPECT_EQ(value_text("perplexity", 46.553), "46.6");
  EXPECT_EQ(value_text("perplexity", 734.16), "734");
  EXPECT_EQ(value_text("perplexity", 123456.0), "1.23e+05");
  EXPECT_EQ(value_text("accuracy", 0.875), "87.5 %");
  EXPECT_EQ(value_text("acc_char", 1.0), "100.0 %");
}

TEST(MetricName, KnowsFilterShareAndDirection) {
  EXPECT_EQ(split_filter("exact_match,strict-match").metric, "exact_match");
  EXPECT_EQ(split_filter("exact_match,strict-match").filter, "strict-match");
  EXPECT_EQ(split_filter("acc").filter, "none");
  EXPECT_TRUE(is_share("exact_match,strict-match"));
  EXPECT_TRUE(is_share("ruler_match"));
  EXPECT_FALSE(is_share("answer_nll"));
  EXPECT_EQ(direction_mark("acc_char"), "↑");
  EXPECT_EQ(direction_mark("answer_nll"), "↓");
  EXPECT_EQ(direction_mark("word_perplexity"), "↓");
  EXPECT_EQ(direction_mark("tokens_scored"), "");
}

TEST(IntervalText, IsAbsentWhereThereIsNone) {
  EXPECT_EQ(interval_text({.name = "acc",
                           .value = 0.5,
                           .standard_error = {},
                           .ci_low = 0.25,
                           .ci_high = 0.75,
                           .n = 9}),
            "50.0 % [25.0 %, 75.0 %]");
  EXPECT_EQ(
      interval_text(
          {.name = "acc", .value = 0.5, .standard_error = {}, .ci_low = {}, .ci_high = {}, .n = 1}),
      "50.0 %");
}

TEST(Escape, HtmlMarkdownAndCsvNeutraliseTheirOwnSyntax) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_markdown("a|b\nc*d"), "a\\|b c\\*d");
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
}

TEST(CsvNumber, KeepsEveryDigit) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(csv_number(std::nullopt), "");
}

TEST(LengthRatioText, SaysHowFarBeyondTrainingALengthIs) {
  EXPECT_EQ(length_ratio_text(2048, 128), "2k (16x)");
  EXPECT_EQ(length_ratio_text(2048, std::nullopt), "2k");
}

}  // namespace
}  // namespace yardstick::reports
