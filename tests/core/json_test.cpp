#include "core/json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/errors.hpp"

namespace yardstick {
namespace {

using testing::HasSubstr;

TEST(Json, ASyntaxErrorNamesFileAndLine) {
  const std::string message = test::error_message(
      [] { static_cast<void>(parse_json("{\n \"a\": 1,\n \"b\" 2}", "c.json")); });
  EXPECT_THAT(message, HasSubstr("c.json:3:"));
}

TEST(Json, AnErrorInALongTextIsShort) {
  const std::string text = "[\"" + std::string(100'000, 'x') + "\"/";
  const std::string message =
      test::error_message([&] { static_cast<void>(parse_json(text, "c.json")); });
  EXPECT_THAT(message, HasSubstr("c.json:1:"));
  EXPECT_LT(message.size(), 300U);
}

TEST(Json, ADuplicateKeyIsRefusedAtAnyDepth) {
  EXPECT_THAT(test::error_message(
                  [] { static_cast<void>(parse_json(R"({"x":{"a":1,"a":2}})", "c.json")); }),
              HasSubstr("key 'a' stands twice"));
}

TEST(Json, TheSameKeyInTwoObjectsIsFine) {
  EXPECT_EQ(parse_json(R"([{"a":1},{"a":{"a":2}}])", "c.json").size(), 2U);
}

TEST(Json, WhatIsNoTextIsNamed) {
  const auto refusal = [](std::string_view text) {
    return test::error_message([&] { static_cast<void>(parse_json(text, "c.json")); });
  };
  using namespace std::string_view_literals;
  EXPECT_THAT(refusal("\x1f\x8b\x08\x00"sv), HasSubstr("c.json: is gzip data"));
  EXPECT_THAT(refusal("\xff\xfe{\x00}\x00"sv), HasSubstr("c.json: is UTF-16 text"));
  EXPECT_THAT(refusal("{\x00}\x00"sv), HasSubstr("c.json: looks like UTF-16 text"));
  EXPECT_THAT(refusal("\xef\xbb\xbf"sv), HasSubstr("c.json: holds a byte-order mark and nothing"));
  EXPECT_THAT(refusal("{\"a\": \x00 1}"sv), HasSubstr("c.json: holds a NUL byte at byte 6"));
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"sv),
              HasSubstr("c.json: is a Git LFS pointer"));
}

TEST(Json, NestingIsBounded) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(parse_json(nested(256), "c.json").size(), 1U);
  for (const std::size_t levels : {257, 1'000'000}) {
    EXPECT_THAT(test::error_message(
                    [&] { static_cast<void>(parse_ordered_json(nested(levels), "c.json")); }),
                HasSubstr("c.json: is nested more than 256 levels deep"));
  }
}

}  // namespace
}  // namespace yardstick
