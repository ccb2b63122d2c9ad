#include "core/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick {
namespace {

using testing::HasSubstr;

TEST(Yaml, ScalarsFollowTheCoreSchemaOfYaml12) {
  const nlohmann::json v = parse_yaml(
                               "a: off\nb: 1e-5\nc: \"false\"\nd: true\ne: 0x10\nf: ~\ng: 4k\nh: "
                               "1.5\ni: 007\nj: .inf\nk: yes\n"
                               "l: -3\nm: inf\nn: '12'\n",
                               "s.yaml")
                               .values();
  EXPECT_EQ(v["a"], "off");
  EXPECT_EQ(v["b"], 1e-5);
  EXPECT_EQ(v["c"], "false");
  EXPECT_EQ(v["d"], true);
  EXPECT_EQ(v["e"], 16);
  EXPECT_TRUE(v["f"].is_null());
  EXPECT_EQ(v["g"], "4k");
  EXPECT_EQ(v["h"], 1.5);
  EXPECT_EQ(v["i"], 7);
  EXPECT_TRUE(v["j"].is_number());
  EXPECT_EQ(v["k"], "yes");
  EXPECT_EQ(v["l"], -3);
  EXPECT_EQ(v["m"], "inf");
  EXPECT_EQ(v["n"], "12");
}

TEST(Yaml, EveryValueKnowsItsPlace) {
  const Located located = parse_yaml("models:\n  - name: a\n    path: b\n", "s.yaml");
  EXPECT_EQ(located.where("/models/0/path"), "s.yaml:3:11");
  EXPECT_EQ(located.where_key("/models/0/path"), "s.yaml:3:5");
  EXPECT_EQ(located.where("/models/0/missing"), "s.yaml:2:5");
  const Located part = located.at("/models/0");
  EXPECT_EQ(part.values()["name"], "a");
  EXPECT_EQ(part.where("/path"), "s.yaml:3:11");
}

TEST(Yaml, ADuplicateKeyIsRefusedWithBothPlaces) {
  const std::string message = test::error_message(
      [] { static_cast<void>(parse_yaml("tasks: 1\nx: 2\ntasks: 3\n", "s.yaml")); });
  EXPECT_THAT(message, HasSubstr("s.yaml:3:1"));
  EXPECT_THAT(message, HasSubstr("s.yaml:1:1"));
}

TEST(Yaml, SyntaxErrorsAndSecondDocumentsAreRefused) {
  EXPECT_THAT(
      test::error_message([] { static_cast<void>(parse_yaml("a: [1, 2\nb: 3\n", "s.yaml")); }),
      HasSubstr("s.yaml:"));
  EXPECT_THAT(
      test::error_message([] { static_cast<void>(parse_yaml("a: 1\n---\nb: 2\n", "s.yaml")); }),
      HasSubstr("2 YAML documents"));
}

std::string message_of(const std::string& text) {
  return test::error_message([&] { static_cast<void>(parse_yaml(text, "s.yaml")); });
}

TEST(Yaml, AQuoteThatIsNotClosedIsRefusedWhereItOpens) {
  const std::string expected = "s.yaml:2:4: the quote is not closed";
  // At the end of a file, with and without a line end; in front of other quotes; in brackets.
  EXPECT_EQ(message_of("a: 1\nd: \"Answer these\n"), expected);
  EXPECT_EQ(message_of("a: 1\nd: \"Answer these"), expected);
  EXPECT_EQ(message_of("a: \"\u00e9\"\nd: 'It''s\nb: 2\n"), expected);
  EXPECT_EQ(message_of("a: 1\nd: \"Question\nb: \"Answer\"\nc: 3\n"), expected);
  EXPECT_EQ(message_of("a: 1\nd: \"Question\nb: \"Answer: {{a}}\"\nc: 3\n"), expected);
  EXPECT_EQ(message_of("a: 1\nd: 'don\nb: it's\n"), expected);
  EXPECT_EQ(message_of("a: 1\nu: [\"x\", \"y]\nb: 2\n"), "s.yaml:2:10: the quote is not closed");
  EXPECT_EQ(message_of("a: |\n  say \"\n  \"more\nb: \"x\n"),
            "s.yaml:4:4: the quote is not closed");
}

TEST(Yaml, QuotesThatAreClosedOrMereTextAreLeftAlone) {
  const nlohmann::json v = parse_yaml(
                               "\xEF\xBB\xBF"
                               "a: \"one\n\n  two\"\nb: it's\nc: |\n  \"open\nd: &x 'it''s'\n"
                               "e: \"a \\\" b\"\nf: *x\ng: 5 \" wide # \"\n",
                               "s.yaml")
                               .values();
  EXPECT_EQ(v["a"], "one\ntwo");
  EXPECT_EQ(v["b"], "it's");
  EXPECT_EQ(v["c"], "\"open\n");
  EXPECT_EQ(v["d"], "it's");
  EXPECT_EQ(v["e"], "a \" b");
  EXPECT_EQ(v["f"], "it's");
  EXPECT_EQ(v["g"], "5 \" wide");
  // The fault is elsewhere, and said to be.
  EXPECT_THAT(message_of("a: \"x\"\nb: 'y'\nc: [1, 2\nd: 3\n"), HasSubstr("not valid YAML"));
}

TEST(Yaml, UsualMistakesAreCalledByTheirNames) {
  EXPECT_EQ(message_of("a:\n\tb: 1\n"), "s.yaml:2:1: a tab; indent with blanks");
  EXPECT_EQ(message_of("a:\n  b: 1\n  \tc: 2\n"), "s.yaml:3:3: a tab; indent with blanks");
  EXPECT_EQ(message_of("a: 1\nk: Question: what\n"), "s.yaml:2:4: put text with ': ' in quotes");
  const std::string bare = "s.yaml:2:4: put a template in quotes: \"{{...}}\"";
  EXPECT_EQ(message_of("a: 1\nk: {{answer}}\n"), bare);
  EXPECT_EQ(message_of("a: 1\nk: {{answer}} x\n"), bare);
  EXPECT_EQ(message_of("a: 1\nk: {{a}}: {{b}}\n"), bare);
}

// The parser takes a Git LFS pointer for a text of three lines.
TEST(Yaml, WhatIsNoTextIsNamed) {
  EXPECT_THAT(
      test::error_message([] {
        static_cast<void>(parse_yaml(
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "s.yaml"));
      }),
      HasSubstr("s.yaml: is a Git LFS pointer"));
  EXPECT_THAT(test::error_message([] { static_cast<void>(parse_yaml("\xef\xbb\xbf", "s.yaml")); }),
              HasSubstr("s.yaml: holds a byte-order mark and nothing"));
}

TEST(Yaml, AliasBombsAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string p = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "" : ", ") + p;
    text += "]\n";
  }
  EXPECT_THAT(test::error_message([&] { static_cast<void>(parse_yaml(text, "s.yaml")); }),
              HasSubstr("more than a million values"));
}

// Two megabytes that are named 200 times, and a key of two megabytes above 200 values.
TEST(Yaml, LongTextsBehindAliasesAndLongKeysAreRefused) {
  const std::string megabytes(2 << 20, 'x');
  std::string texts = "a: &a " + megabytes + "\nb: [";
  for (int i = 0; i < 200; ++i) texts += "*a, ";
  texts += "x]\n";
  std::string below = "? " + megabytes + "\n: [";
  for (int i = 0; i < 200; ++i) below += "1, ";
  below += "1]\n";
  for (const std::string& text : {texts, below}) {
    EXPECT_THAT(test::error_message([&] { static_cast<void>(parse_yaml(text, "s.yaml")); }),
                HasSubstr("expands to more than 268435456 bytes"));
  }
}

}  // namespace
}  // namespace yardstick
