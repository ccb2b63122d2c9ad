// UTF-8 repair, the byte alphabet, and the four normalization forms, against the values that the
// Unicode Standard prints.
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "models/tokenizer/byte_level.hpp"
#include "models/tokenizer/unicode.hpp"
#include "models/tokenizer/unicode_form.hpp"

namespace yardstick::tokenizer {
namespace {

// Unicode 15, section 3.9, table 3-8 and its neighbours.
TEST(Unicode, RepairReplacesMaximalSubparts) {
  EXPECT_EQ(repair_utf8("a\xF1\x80\x80\xE1\x80\xC2"
                        "b\x80"
                        "c\x80\xBF"
                        "d"),
            "a\uFFFD\uFFFD\uFFFD"
            "b\uFFFD"
            "c\uFFFD\uFFFD"
            "d");
  EXPECT_EQ(repair_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(repair_utf8("\xE2\x82"), "\uFFFD");
}

TEST(Unicode, CodePointsSurviveBothWays) {
  for (const char32_t c : {U'\0', U'a', U'é', U'\u2028', U'\uFFFD', U'\U0001F600'}) {
    const std::string text = to_utf8(c);
    EXPECT_EQ(code_point_at(text, 0).value, c);
    EXPECT_EQ(code_point_at(text, 0).length_bytes, text.size());
  }
}

// encoder.py of GPT-2: space is U+0120, newline U+010A, 0xAD U+0143.
TEST(ByteLevel, CharactersAreGpt2s) {
  EXPECT_EQ(byte_level_character(' '), "\u0120");
  EXPECT_EQ(byte_level_character('\n'), "\u010A");
  EXPECT_EQ(byte_level_character(0xAD), "\u0143");
  EXPECT_EQ(byte_level_character('A'), "A");
  for (int byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<unsigned char>(byte);
    EXPECT_EQ(byte_level_bytes(byte_level_character(value)),
              std::string(1, static_cast<char>(value)));
  }
  EXPECT_EQ(byte_level_bytes("a b"), std::nullopt);
}

std::string form(UnicodeForm form, std::string_view text) {
  AlignedText aligned(text, 0);
  apply_unicode_form(form, aligned);
  return std::string(aligned.text());
}

// A run that a quadratic sort would need minutes for. Classes: U+0323 220, U+0301 230.
TEST(UnicodeForm, LongRunsOfCombiningCharactersAreOrdered) {
  constexpr int kPairs = 200'000;
  std::string text = "a";
  std::string expected = "a";
  for (int i = 0; i < kPairs; ++i) text += "\u0301\u0323";
  for (int i = 0; i < kPairs; ++i) expected += "\u0323";
  for (int i = 0; i < kPairs; ++i) expected += "\u0301";
  EXPECT_EQ(form(UnicodeForm::kNfd, text), expected);
}

// UAX 15, figures 3 to 6.
TEST(UnicodeForm, FiguresOfTheAnnex) {
  EXPECT_EQ(form(UnicodeForm::kNfc, "\u212B\u2126"), "\u00C5\u03A9");
  EXPECT_EQ(form(UnicodeForm::kNfd, "\u1E69"), "s\u0323\u0307");
  EXPECT_EQ(form(UnicodeForm::kNfc, "\u1E0B\u0323"), "\u1E0D\u0307");
  EXPECT_EQ(form(UnicodeForm::kNfkc, "\u1E9B\u0323"), "\u1E69");
  EXPECT_EQ(form(UnicodeForm::kNfkd,
                 "\uFB01"
                 "2\u2075"),
            "fi25");
}

TEST(UnicodeForm, OffsetsNeverGoBackAndEndAtTheEnd) {
  std::mt19937 random(1);  // NOLINT: a fixed seed; raw draws are the same everywhere
  const std::u32string_view alphabet =
      U"ae\u0301\u0323\u00E9\u1100\u1161\u11A8\uAC00\u212B\uFB01\uFF76\uFF9E\u09C7\u09BE\u0344";
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += to_utf8(alphabet[random() % alphabet.size()]);
    for (const UnicodeForm f :
         {UnicodeForm::kNfc, UnicodeForm::kNfd, UnicodeForm::kNfkc, UnicodeForm::kNfkd}) {
      AlignedText aligned(text, 100);
      apply_unicode_form(f, aligned);
      const std::string result(aligned.text());
      EXPECT_EQ(form(f, result), result) << text;  // a form is stable
      std::int64_t last = 100;
      for (std::size_t i = 0; i <= result.size(); ++i) {
        const std::int64_t at = aligned.source_at(i);
        EXPECT_GE(at, last);
        last = at;
      }
      EXPECT_EQ(last, 100 + static_cast<std::int64_t>(text.size()));
    }
  }
}

}  // namespace
}  // namespace yardstick::tokenizer
