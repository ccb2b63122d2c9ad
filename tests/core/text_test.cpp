#include "core/text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace yardstick {
namespace {

TEST(Utf8, WellFormedTextIsValid) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("plain"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("\xC3\xA9 \xE2\x96\x81 \xF0\x9F\x90\x95 \xEF\xBF\xBD"), std::nullopt);
}

TEST(Utf8, TheFirstBadByteIsNamed) {
  EXPECT_EQ(find_invalid_utf8("ab\xFFz"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0U);           // overlong
  EXPECT_EQ(find_invalid_utf8("x\xED\xA0\x80"), 1U);      // surrogate
  EXPECT_EQ(find_invalid_utf8("x\xF4\x90\x80\x80"), 1U);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xE2\x96"), 0U);           // cut off
}

TEST(Utf8, CodePointsAreCounted) { EXPECT_EQ(count_code_points("a\xC3\xA9\xF0\x9F\x90\x95"), 3); }

// Escape sequences begin with ESC or, in one character, with U+009B; DEL and the others move the
// cursor or are not shown.
TEST(Escaped, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(escaped("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(escaped("\xC2\x9b"
                    "31m\x7f"),
            "\\u009b31m\\u007f");
  EXPECT_EQ(escaped(std::string("\0\r\n\t", 4)), "\\x00\\r\\n\\t");
  EXPECT_EQ(escaped_lines("a\n\tb\r\x07"), "a\n\tb\\r\\x07");
}

TEST(Escaped, OtherTextStays) {
  const std::string text = "caf\xC3\xA9 \xC2\xA0 \xF0\x9F\x90\x95 \\ \"";
  EXPECT_EQ(escaped(text), text);
  EXPECT_FALSE(has_control_character(text));
  EXPECT_TRUE(has_control_character("a\xC2\x80"));
  EXPECT_TRUE(has_control_character("a\x7f"));
  EXPECT_TRUE(has_control_character("\n"));
}

TEST(Escaped, BytesThatAreNoTextAreWrittenOut) {
  EXPECT_EQ(escaped("a\xFF\xC2"), "a\\xff\\xc2");
  EXPECT_EQ(escaped("\x9b\xC3\xA9"), "\\x9b\xC3\xA9");
}

TEST(ParseLength, ReadsTheDocumentedForms) {
  EXPECT_EQ(parse_length("4k"), 4096);
  EXPECT_EQ(parse_length("128K"), 131072);
  EXPECT_EQ(parse_length("1e6"), 1000000);
  EXPECT_EQ(parse_length("131_072"), 131072);
  EXPECT_EQ(parse_length("1.5k"), 1536);
  EXPECT_EQ(parse_length("1m"), 1048576);
  EXPECT_EQ(parse_length("512"), 512);
}

TEST(ParseLength, RefusesEverythingElse) {
  for (const char* text : {"", "k", "-4", "0", "4kk", "4 k", "1.0001k", "0.5", "1__0", "_1", "1_",
                           "1e99", "inf", "nan", "0x10", "4kb"}) {
    EXPECT_EQ(parse_length(text), std::nullopt) << text;
  }
}

TEST(FormatLength, IsReadBackByParseLength) {
  for (const std::int64_t length : {1, 512, 1000, 1024, 4096, 131072, 1048576}) {
    EXPECT_EQ(parse_length(format_length(length)), length);
  }
}

TEST(DidYouMean, OffersTheNearestNameOnlyWhenItIsNear) {
  const std::vector<std::string> names{"needle", "perplexity", "passkey"};
  EXPECT_EQ(did_you_mean("nedle", names), " (did you mean 'needle'?)");
  EXPECT_EQ(did_you_mean("xylophone", names), "");
}

TEST(DidYouMean, ASwapOfNeighboursIsOneEdit) {
  // Both are two edits away if a swap is two.
  const std::vector<std::string> names{"talk", "task"};
  EXPECT_EQ(nearest_name("taks", names), "task");
}

}  // namespace
}  // namespace yardstick
