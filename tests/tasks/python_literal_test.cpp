// Expected values are CPython 3's: ast.literal_eval, repr.
#include "tasks/template/python_literal.hpp"

#include <gtest/gtest.h>

namespace yardstick::tasks {
namespace {

using Json = nlohmann::ordered_json;

TEST(PythonLiteral, ReadsWhatLiteralEvalReads) {
  const std::vector<std::pair<std::string, Json>> kCases = {
      {"['a', \"b\"]", {"a", "b"}},
      {"('a',)", Json::array({"a"})},
      {"('a')", "a"},
      {"1, 2", {1, 2}},
      {"()", Json::array()},
      {" [1, 2.5, -3, +4, 1e3, 0x1F, 1_000, .5, 1., 00]\n",
       {1, 2.5, -3, 4, 1000.0, 31, 1000, 0.5, 1.0, 0}},
      {"[None, True, False]", {nullptr, true, false}},
      {"{'a': 1, 'b': {'c': []},}", {{"a", 1}, {"b", {{"c", Json::array()}}}}},
      {"'a' \"b\" r'\\n' u'\\u00e9\\x41\\101'", "ab\\n\u00e9AA"},
      {"'''two\nlines'''", "two\nlines"},
      {"'it\\'s \\q'", "it's \\q"},
      {"['a'\n 'b',\n]", Json::array({"ab"})},
      {"\n\n[1, # one\n 2] # two\n", {1, 2}},
      {"18446744073709551615", 18446744073709551615ULL},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [text, expected] : kCases) {
    const auto found = parse_python_literal(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->dump(), expected.dump()) << text;
  }
}

TEST(PythonLiteral, WhatIsNoLiteralOrNoDataIsNothing) {
  for (const char* const text : {"",
                                 "a",
                                 "['a'",
                                 "[a]",
                                 "'a",
                                 "1 2",
                                 "[1 2]",
                                 "[,]",
                                 "007",
                                 "1__0",
                                 "0x",
                                 "b'a'",
                                 "f'a'",
                                 "{1, 2}",
                                 "{1: 2}",
                                 "1j",
                                 "...",
                                 "18446744073709551616",
                                 "-9223372036854775809",
                                 "'a\nb'",
                                 "'\\ud800'",
                                 "'\\N{DIGIT ONE}'",
                                 "'\\x4'",
                                 "1\n2",
                                 "\n 1",
                                 "1\n ",
                                 "none",
                                 "true",
                                 "--1",
                                 "1e999",
                                 "[1]x",
                                 "\xff",
                                 "()()",
                                 "(,)",
                                 "rb'a'",
                                 "_1",
                                 "1_",
                                 "0_x1",
                                 "'\\"}) {
    EXPECT_FALSE(parse_python_literal(text)) << text;
  }
  EXPECT_FALSE(parse_python_literal(std::string(100000, '[')));
}

TEST(PythonLiteral, PrintsAsPython) {
  EXPECT_EQ(python_repr({1, 2.0, "it's", "say \"hi\"", "'\"", nullptr, true}),
            R"([1, 2.0, "it's", 'say "hi"', '\'"', None, True])");
  EXPECT_EQ(python_repr({{"a", {1e16, 1e15, 1e-5, 0.0001, -0.0, 123456789.125}}}),
            "{'a': [1e+16, 1000000000000000.0, 1e-05, 0.0001, -0.0, 123456789.125]}");
  EXPECT_EQ(python_repr("\t\n\u00a0\u00e9\u200b\U000e0001\\"),
            "'\\t\\n\\xa0\u00e9\\u200b\\U000e0001\\\\'");
  EXPECT_EQ(python_str("it's"), "it's");
  EXPECT_EQ(python_str({"it's"}), "[\"it's\"]");
}

TEST(PythonLiteral, WhatIsPrintedIsReadBack) {
  const Json value = {{"text", {"it's", "\u200b\"'", "\\n"}}, {"n", {1, -2, 0.1, 5e-324, 1e300}}};
  EXPECT_EQ(parse_python_literal(python_repr(value)), value);
}

}  // namespace
}  // namespace yardstick::tasks
