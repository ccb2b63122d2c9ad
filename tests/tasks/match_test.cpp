#include "tasks/metrics/match.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/metrics/number.hpp"

namespace yardstick::tasks {
namespace {

TEST(Match, ExactIsEqualUpToWhiteSpaceAtTheEnds) {
  EXPECT_TRUE(matches_exactly(" 42\n", "42"));
  EXPECT_TRUE(matches_exactly("\u00A0 caf\u00E9\u3000", "caf\u00E9"));
  EXPECT_FALSE(matches_exactly("42.", "42"));
  EXPECT_FALSE(matches_exactly("Paris", "paris"));
  EXPECT_TRUE(matches_exactly("a  b", " a  b"));
  EXPECT_FALSE(matches_exactly("a b", "a  b"));
}

TEST(Match, B78ANumberIsNotPartOfALongerOne) {
  for (const char* wrong : {"123", "the year 2012", "12,000", "1.12", "3,12", "12.5", "twelve"}) {
    EXPECT_FALSE(contains_token(wrong, "12")) << wrong;
    EXPECT_FALSE(contains_number(wrong, "12")) << wrong;
  }
  for (const char* right : {"12.", "12", "is 12, I think", "(12)", "a, 12", "$12", "It was. 12"}) {
    EXPECT_TRUE(contains_token(right, "12")) << right;
    EXPECT_TRUE(contains_number(right, "12")) << right;
  }
  // What it is there for: RULER's rule takes all but the last.
  for (const char* loose : {"123", "the year 2012", "12.", "12,000"}) {
    EXPECT_EQ(ruler_all(loose, std::vector<std::string>{"12"}), 1) << loose;
  }
  EXPECT_EQ(ruler_all("twelve", std::vector<std::string>{"12"}), 0);
}

TEST(Match, A8DigitsJoinedByPointOrCommaAreOneNumber) {
  EXPECT_FALSE(contains_token("3.14", "3"));
  EXPECT_FALSE(contains_token("3.14", "14"));
  EXPECT_TRUE(contains_token("3.14", "3.14"));
  EXPECT_TRUE(contains_token("see 3. 14 follows", "3"));
  EXPECT_TRUE(contains_token("A.3", "3"));
  EXPECT_TRUE(contains_token("3.a", "3"));
}

TEST(Match, A8ALaterPlaceCountsWhereAnEarlierDoesNot) {
  EXPECT_TRUE(contains_token("2012 or 12", "12"));
  EXPECT_FALSE(contains_token("INCORRECT", "CORRECT"));
  EXPECT_TRUE(contains_token("INCORRECT? CORRECT!", "CORRECT"));
  EXPECT_FALSE(contains_token("correct", "CORRECT"));
}

TEST(Match, B79AGoldThatEndsInPunctuationIsFound) {
  EXPECT_TRUE(contains_token("is getPageCount().", "getPageCount()"));
  EXPECT_FALSE(contains_token("is forgetPageCount().", "getPageCount()"));
  EXPECT_TRUE(contains_token("(a+b)c", "(a+b)"));
}

TEST(Match, LettersAreThoseOfUnicode) {
  EXPECT_FALSE(contains_token("\u00E9t\u00E9s", "\u00E9t\u00E9"));
  EXPECT_TRUE(contains_token("l'\u00E9t\u00E9!", "\u00E9t\u00E9"));
  // A combining accent belongs to the letter before it: "cafe" is not in "cafe" + U+0301.
  EXPECT_FALSE(contains_token("cafe\u0301", "cafe"));
  EXPECT_TRUE(contains_token("\u300C\u6771\u4EAC\u300D", "\u6771\u4EAC"));
}

TEST(Match, B81PunctuationIsNotRemovedFromNumbers) {
  EXPECT_FALSE(contains_number("314", "3.14"));
  EXPECT_FALSE(contains_number("3.14", "314"));
  EXPECT_FALSE(contains_token("314", "3.14"));
}

TEST(Match, B81AnEmptyGoldIsInNothing) {
  EXPECT_FALSE(contains_token("anything", ""));
  EXPECT_FALSE(contains_token("", ""));
  EXPECT_FALSE(contains_number("12", ""));
  EXPECT_FALSE(contains_number("twelve", "twelve"));
}

TEST(Match, B82TheFactAloneIsEnough) {
  const std::string needle = "One of the special magic numbers for long-context is: 4823156.";
  EXPECT_TRUE(contains_token("The number is 4823156.", "4823156"));
  EXPECT_FALSE(contains_token("The number is 4823156.", needle));
  EXPECT_TRUE(contains_number("The number is 4,823,156.", "4823156"));
}

TEST(Match, NumbersCompareByValue) {
  EXPECT_TRUE(contains_number("about 12.00", "12"));
  EXPECT_TRUE(contains_number("1,234,567 people", "1234567"));
  EXPECT_TRUE(contains_number("x = -5", "-5"));
  EXPECT_TRUE(contains_number("x = \u22125", "-5"));
  EXPECT_FALSE(contains_number("x = -5", "5"));
  EXPECT_TRUE(contains_number("pages 3-5", "5"));
  EXPECT_TRUE(contains_number("1.2e3 m", "1200"));
  EXPECT_TRUE(contains_number(".5", "0.50"));
  EXPECT_TRUE(contains_number("-0", "0"));
  EXPECT_FALSE(contains_number("12,34", "1234"));
  EXPECT_FALSE(contains_number("1234,567", "1234567"));
  EXPECT_FALSE(contains_number("version 1.2.3", "1.2"));
  EXPECT_FALSE(contains_number("5e6b-x12, 12th", "12"));
  EXPECT_FALSE(contains_number("1e9999999999", "1"));
  // A double holds 15 digits; keys are longer.
  EXPECT_FALSE(contains_number("12345678901234567891", "12345678901234567892"));
}

TEST(Match, NumbersOfATextComeInOrder) {
  const std::vector<Decimal> numbers = numbers_in("On 2012-05-12: 3, 4.0 and 1e-2");
  ASSERT_EQ(numbers.size(), 6U);
  EXPECT_EQ(numbers[0], parse_number("2012"));
  EXPECT_EQ(numbers[1], parse_number("5"));
  EXPECT_EQ(numbers[2], parse_number("12"));
  EXPECT_EQ(numbers[4], parse_number("4"));
  EXPECT_EQ(numbers[5], parse_number("0.01"));
  EXPECT_FALSE(parse_number("12 apples").has_value());
  EXPECT_EQ(parse_number(" 12. "), parse_number("12"));
}

TEST(Match, RulerCountsSharesAndIgnoresCase) {
  const std::vector<std::string> golds = {"Alpha", "beta", "GAMMA", "delta"};
  EXPECT_DOUBLE_EQ(ruler_all("ALPHA beta gamma", golds), 0.75);
  EXPECT_DOUBLE_EQ(ruler_any("ALPHA beta gamma", golds), 1);
  EXPECT_DOUBLE_EQ(ruler_all("", golds), 0);
  EXPECT_DOUBLE_EQ(ruler_any("none", golds), 0);
  EXPECT_DOUBLE_EQ(ruler_any("STRASSE \u00C9T\u00C9", std::vector<std::string>{"\u00E9t\u00E9"}),
                   1);
}

}  // namespace
}  // namespace yardstick::tasks
