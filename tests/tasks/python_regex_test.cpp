// Expected values are CPython 3's module re.
#include "tasks/template/python_regex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick::tasks {
namespace {

std::string substituted(const char* pattern, const char* replacement, const char* text,
                        std::int64_t count = 0) {
  return PythonRegex(pattern).substitute(text, replacement, count, 1000);
}

TEST(PythonRegex, SubstitutesAsPython) {
  EXPECT_EQ(substituted("x*", "-", "abxd"), "-a-b--d-");
  EXPECT_EQ(substituted("x*", "-", "abxd", 2), "-a-bxd");
  EXPECT_EQ(substituted(R"((\w)(?P<b>\w))", R"(\2\g<1>\g<b>\n)", "abc"), "bab\nc");
  EXPECT_EQ(substituted("a|b", R"(\\)", "cab"), R"(c\\)");
  EXPECT_EQ(substituted("(a)|b", R"([\1])", "ab"), "[a][]");
}

TEST(PythonRegex, ClassesAreUnicodesAsInPython) {
  EXPECT_EQ(substituted(R"(\s)", ".", "a\u00a0b\x1f\u3000\u180e"), "a.b..\u180e");
  EXPECT_EQ(substituted(R"([\s\w]+)", ".", "\u00e9t\u00e9 \u65e5_\u0661!"), ".!");
  EXPECT_EQ(substituted(R"(\d)", "#", "1\u0661\u00b2"), "##\u00b2");
  EXPECT_EQ(substituted(R"(a$)", "#", "a\na\n"), "a\n#\n");
  EXPECT_EQ(substituted(R"(a\Z)", "#", "a\na\n"), "a\na\n");
  EXPECT_EQ(substituted("(?m)^", "-", "a\n"), "-a\n-");
  EXPECT_EQ(substituted(R"((?i)STRASSE)", "#", "Strasse"), "#");
  EXPECT_EQ(substituted(R"([]\[]+)", "#", "a[]b"), "a#b");
}

TEST(PythonRegex, FindsAllAsPython) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const auto& match : PythonRegex("a*").find_all("baac")) {
    found.emplace_back(match.front()->begin, match.front()->end);
  }
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(found, ElementsAre(Pair(0, 0), Pair(1, 3), Pair(3, 3), Pair(4, 4)));
  const auto match = PythonRegex("(a)|(b)").search("xb");
  ASSERT_TRUE(match);
  EXPECT_FALSE(match->at(1));
  EXPECT_EQ(match->at(2)->begin, 1U);
}

TEST(PythonRegex, WhatPcre2MeansDifferentlyIsRefused) {
  for (const char* const pattern :
       {R"(\p{L})", R"(\h)",    R"(\K)",         R"(\Qa\E)", R"(\R)",
        "(?R)",     "(?<n>a)",  "(*ACCEPT)",     "a{,3}",    "[[:alpha:]]",
        R"([\S])",  R"(\N)",    "(?x)a",         "a(?i)b",   "(",
        "[a",       "*",        R"(a\)",         R"(\x4)",   R"((?#c)a)",
        R"(\1(a))", R"((a\1))", "(?P=n)(?P<n>a)"}) {
    EXPECT_THROW(PythonRegex{pattern}, Error) << pattern;
  }
  EXPECT_THAT(test::error_message([] { PythonRegex(R"(ab\p{L})"); }),
              testing::HasSubstr(R"('ab\p{L}' has, at byte 2, what is not supported: '\p')"));
}

TEST(PythonRegex, BacktrackingIsBounded) {
  EXPECT_THROW(static_cast<void>(PythonRegex("(a|aa)+$").search(std::string(60, 'a') + "!")),
               Error);
  EXPECT_THROW(substituted("a", "bbbbbbbbbbbbbbbbbbbbbbbbb", std::string(50, 'a').c_str()), Error);
}

TEST(PythonRegex, AReplacementThatNamesNoGroupIsRefused) {
  for (const char* const replacement : {R"(\1)", R"(\g<x>)", R"(\g<)", R"(\q)", R"(\)"}) {
    EXPECT_THROW(substituted("a", replacement, "a"), Error) << replacement;
  }
}

}  // namespace
}  // namespace yardstick::tasks
