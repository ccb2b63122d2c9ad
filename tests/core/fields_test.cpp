#include "core/fields.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(Fields, TypedValuesAreRead) {
  const Located located =
      parse_yaml("name: a\nn: 3\nx: 1e-3\non: true\nl: 4k\nls: [512, 1k]\n", "s.yaml");
  Fields fields(located, "", "the suite");
  EXPECT_EQ(fields.text("name"), "a");
  EXPECT_EQ(fields.integer("n", 1, 10), 3);
  EXPECT_EQ(fields.optional_number("x", 0, 1), 1e-3);
  EXPECT_EQ(fields.optional_flag("on"), true);
  EXPECT_EQ(fields.optional_length("l"), 4096);
  EXPECT_THAT(fields.lengths("ls"), ElementsAre(512, 1024));
  EXPECT_EQ(fields.optional_text("absent"), std::nullopt);
  EXPECT_NO_THROW(fields.finish());
}

TEST(Fields, AnUnknownKeyIsRefusedWithItsPlaceAndTheNearestKey) {
  const Located located = parse_yaml("name: a\nsede: 1\n", "s.yaml");
  Fields fields(located, "", "the suite");
  static_cast<void>(fields.text("name"));
  static_cast<void>(fields.optional_integer("seed", 0, 10));
  const std::string message = test::error_message([&] { fields.finish(); });
  EXPECT_THAT(message, HasSubstr("s.yaml:2:1"));
  EXPECT_THAT(message, EndsWith("unknown key 'sede' in the suite (did you mean 'seed'?)"));
}

TEST(Fields, AnUnknownKeyThatIsNearNoneIsToldTheValidOnes) {
  const Located located = parse_yaml("name: a\nxylophone: 1\n", "s.yaml");
  Fields fields(located, "", "the suite");
  static_cast<void>(fields.text("name"));
  static_cast<void>(fields.optional_integer("seed", 0, 10));
  EXPECT_THAT(test::error_message([&] { fields.finish(); }),
              EndsWith("unknown key 'xylophone' in the suite; valid keys: name, seed"));
}

TEST(Fields, WrongTypesAndRangesNameValueAndExpectation) {
  const Located located = parse_yaml("n: ten\nm: 99\nt: 5\nl: 4x\n", "s.yaml");
  Fields fields(located, "", "the suite");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.optional_integer("n", 0, 10)); }),
              HasSubstr("s.yaml:1:4: n: found \"ten\", expected a whole number from 0 to 10"));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.optional_integer("m", 0, 10)); }),
              HasSubstr("found 99"));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.optional_text("t")); }),
              HasSubstr("expected text"));
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.optional_length("l")); }),
              HasSubstr("4k"));
}

TEST(Fields, AMissingKeyNamesTheObject) {
  const Located located = parse_yaml("a: 1\n", "s.yaml");
  Fields fields(located, "", "a model");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.text("path")); }),
              HasSubstr("a model needs the key 'path'"));
}

TEST(Fields, AMissingKeyPointsAtOneThatLooksLikeIt) {
  const Located located = parse_yaml("name: x\npaht: y\n", "s.yaml");
  Fields fields(located, "", "a model");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(fields.text("path")); }),
              HasSubstr("'paht' stands at s.yaml:2:1: did you mean 'path'?"));
}

TEST(Fields, AChoiceIsOneOfItsWords) {
  enum class Colour { kRed, kBlue };
  constexpr std::array<std::pair<std::string_view, Colour>, 2> kWords{
      {{"red", Colour::kRed}, {"blue", Colour::kBlue}}};
  const Located located = parse_yaml("a: blue\nb: bleu\n", "s.yaml");
  Fields fields(located, "", "the suite");
  EXPECT_EQ(fields.choice<Colour>("a", Colour::kRed, kWords), Colour::kBlue);
  EXPECT_EQ(fields.choice<Colour>("c", Colour::kRed, kWords), Colour::kRed);
  EXPECT_THAT(test::error_message(
                  [&] { static_cast<void>(fields.choice<Colour>("b", Colour::kRed, kWords)); }),
              HasSubstr("did you mean 'blue'?"));
}

}  // namespace
}  // namespace yardstick
