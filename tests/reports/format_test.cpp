#include "reports/format.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace yardstick::reports {
namespace {

using tasks::Meaning;
using Unit = Meaning::Unit;

TEST(ValueText, NeverPrintsNanAndNeverOverflows) {
  EXPECT_EQ(value_text(Unit::kPerplexity, std::nullopt), "");
  EXPECT_EQ(value_text(Unit::kPerplexity, std::nan("")), "");
  EXPECT_EQ(value_text(Unit::kPerplexity, std::numeric_limits<double>::infinity()), ">1e30");
  EXPECT_EQ(value_text(Unit::kPerplexity, 1e31), ">1e30");
}

TEST(ValueText, KeepsThreeToFourDigits) {
  EXPECT_EQ(value_text(Unit::kPerplexity, 4.3125), "4.312");
  EXPECT_EQ(value_text(Unit::kPerplexity, 46.553), "46.6");
  EXPECT_EQ(value_text(Unit::kPerplexity, 734.16), "734");
  EXPECT_EQ(value_text(Unit::kPerplexity, 123456.0), "1.23e+05");
  EXPECT_EQ(value_text(Unit::kShare, 0.875), "87.5 %");
  EXPECT_EQ(value_text(Unit::kShare, 1.0), "100.0 %");
}

TEST(MetricName, IsSplitAtItsFilter) {
  EXPECT_EQ(split_filter("exact_match,strict-match").metric, "exact_match");
  EXPECT_EQ(split_filter("exact_match,strict-match").filter, "strict-match");
  EXPECT_EQ(split_filter("acc").filter, "none");
}

TEST(DirectionMark, FollowsTheMeaning) {
  EXPECT_EQ(direction_mark(Meaning::Better::kHigher), "↑");
  EXPECT_EQ(direction_mark(Meaning::Better::kLower), "↓");
  EXPECT_EQ(direction_mark(Meaning::Better::kNeither), "");
}

TEST(HitsText, KeepsSuccessesInPart) {
  EXPECT_EQ(
      hits_text(
          {.name = "m", .value = 0.9, .standard_error = {}, .ci_low = {}, .ci_high = {}, .n = 10}),
      "9/10");
  EXPECT_EQ(
      hits_text(
          {.name = "m", .value = 0.85, .standard_error = {}, .ci_low = {}, .ci_high = {}, .n = 10}),
      "8.5/10");
}

TEST(IntervalText, IsAbsentWhereThereIsNone) {
  EXPECT_EQ(interval_text({.name = "acc",
                           .value = 0.5,
                           .standard_error = {},
                           .ci_low = 0.25,
                           .ci_high = 0.75,
                           .n = 9,
                           .meaning = tasks::kShareMeaning}),
            "50.0 % [25.0 %, 75.0 %]");
  EXPECT_EQ(interval_text({.name = "acc",
                           .value = 0.5,
                           .standard_error = {},
                           .ci_low = {},
                           .ci_high = {},
                           .n = 1,
                           .meaning = tasks::kShareMeaning}),
            "50.0 %");
}

TEST(Escape, HtmlNeutralisesItsSyntaxAndShowsControlCharacters) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_html("a\x1b[2Jb\x7f"), "a\\x1b[2Jb\\x7f");
  EXPECT_EQ(escape_html("\xc2\x9b|\xe2\x80\xae|\xff|\xc3\xa9"), "\\u009b|\\u202e|\\xff|\xc3\xa9");
}

TEST(Escape, MarkdownNeutralisesTablesAndMarkup) {
  EXPECT_EQ(escape_markdown("a|b\nc*d"), "a\\|b c\\*d");
  EXPECT_EQ(escape_markdown("&lt;`$~"), "&amp;lt;\\`\\$\\~");
  EXPECT_EQ(escape_markdown("a\x1b"), "a\\\\x1b");
  EXPECT_EQ(code_markdown("run `x`"), "`` run `x` ``");
  EXPECT_EQ(code_markdown("run <b>"), "`run <b>`");
}

// RFC 4180, section 2: quotes around a field with a comma, a quote or a line break; quotes doubled.
TEST(Escape, CsvKeepsEveryByteOfATextAndQuotesByTheRfc) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(csv_text("=1+1"), "=1+1");
  EXPECT_EQ(csv_text("@SUM(A1)"), "@SUM(A1)");
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
