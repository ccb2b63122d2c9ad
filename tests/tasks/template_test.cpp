#include "tasks/template/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick::tasks {
namespace {

using testing::HasSubstr;

const nlohmann::json kItem = {{"question", "Why?"},
                              {"n", 3},
                              {"ok", true},
                              {"none", nullptr},
                              {"choices", {{"text", {"a", "b"}}}}};

TEST(Template, ReferencesStandForTheItemsValues) {
  EXPECT_EQ(Template("Q: {{question}}\nA: {{ choices.text[1] }} {{n}} {{ok}}", "t").render(kItem),
            "Q: Why?\nA: b 3 true");
  EXPECT_EQ(Template("no references", "t").render(kItem), "no references");
  EXPECT_EQ(Template("", "t").render(kItem), "");
}

TEST(Template, AReferenceAloneHasAValue) {
  const Template list("{{choices.text}}", "t");
  EXPECT_TRUE(list.is_reference());
  EXPECT_EQ(list.value(kItem).size(), 2U);
  EXPECT_FALSE(Template(" {{n}}", "t").is_reference());
}

TEST(Template, AnUnknownFieldIsNamedWithItsPlaceAndTheNearestOne) {
  const Template bad("Question:\n {{qestion}}", "arc.yaml:3:9");
  const std::string message = test::error_message([&] { static_cast<void>(bad.render(kItem)); });
  EXPECT_THAT(message, HasSubstr("arc.yaml:3:9: template 2:2"));
  EXPECT_THAT(message, HasSubstr("unknown field 'qestion' (did you mean 'question'?)"));
}

TEST(Template, NothingIsSilentlyEmpty) {
  for (const char* const text : {"{{choices}}", "{{choices.text}}", "{{none}}",
                                 "{{choices.text[2]}}", "{{n[0]}}", "{{question.text}}"}) {
    EXPECT_THROW(static_cast<void>(Template(text, "t").render(kItem)), Error) << text;
  }
}

TEST(Template, WhatItDoesNotKnowItRefuses) {
  for (const char* const text : {"{{question", "{{}}", "{{a | trim}}", "{{a + b}}", "{{[0]}}",
                                 "{{a[x]}}", "{{a[0}}", "{{.a}}", "{{a..b}}", "{% if a %}"}) {
    const std::string message =
        test::error_message([&] { static_cast<void>(Template(text, "t.yaml:1:1")); });
    EXPECT_THAT(message, HasSubstr("t.yaml:1:1: template 1:1")) << text;
  }
}

}  // namespace
}  // namespace yardstick::tasks
