#include "tasks/template/template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick::tasks {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

const Json kDocument = {
    {"question", "Why?"}, {"n", 3}, {"choices", {{"text", {"a", "b"}}, {"label", {"A", "B"}}}}};

std::string rendered(const std::string& text, const Json& document = kDocument) {
  return Template(text, "t").render(document);
}

std::string refusal(const std::string& text) {
  return test::error_message([&] { static_cast<void>(Template(text, "arc.yaml:3:9")); });
}

std::string failure(const std::string& text) {
  return test::error_message(
      [&] { static_cast<void>(Template(text, "arc.yaml:3:9").render(kDocument)); });
}

TEST(Template, AnExpressionAloneHasAValue) {
  const Template list("{{choices.text}}", "t");
  EXPECT_TRUE(list.is_expression());
  EXPECT_EQ(list.evaluate(kDocument), Json({"a", "b"}));
  EXPECT_EQ(Template("{{ (n, 1.5, none) }}", "t").evaluate(kDocument), Json({3, 1.5, nullptr}));
  EXPECT_EQ(Template("{{ choices.text|map('upper') }}", "t").evaluate(kDocument), Json({"A", "B"}));
  EXPECT_EQ(Template("{{ {'b': range(2), 'a': 'x'} }}", "t").evaluate(kDocument).dump(),
            R"({"b":[0,1],"a":"x"})");
  for (const char* const text : {" {{n}}", "{{n}}\n", "{{n}}{{n}}", "n", "", "{% set x = 1 %}"}) {
    EXPECT_FALSE(Template(text, "t").is_expression()) << text;
  }
}

TEST(Template, AnExpressionThatIsNoDataHasNoValue) {
  for (const char* const text :
       {"{{ missing }}", "{{ range }}", "{{ {1: 2} }}", "{{ 'x' if false }}"}) {
    EXPECT_THROW(static_cast<void>(Template(text, "t").evaluate(kDocument)), Error) << text;
  }
}

TEST(Template, AnUnknownFieldIsNamedWithItsPlaceAndTheNearestOne) {
  const std::string message = failure("Question:\n é{{ qestion }}");
  EXPECT_THAT(message, HasSubstr("arc.yaml:3:9: template 2:6: unknown field 'qestion'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'question'?"));
  EXPECT_THAT(failure("{{ choices.texts }}"), HasSubstr("did you mean 'text'?"));
}

TEST(Template, AFaultIsPlacedWhereItHappens) {
  EXPECT_THAT(failure("{{ [1, 2] }}\n{{ n + 1 }} {{ 1 + question }}"),
              HasSubstr("template 2:18: '+' is not defined between int and str"));
  EXPECT_THAT(failure("{{ choices.label.index('C') }}"),
              HasSubstr("template 1:17: 'C' is not in the list"));
  EXPECT_THAT(failure("{% for a, b in choices.text %}{% endfor %}"),
              HasSubstr("1 value(s) to unpack, expected 2"));
}

TEST(Template, WhatItDoesNotKnowItRefusesWithItsPlace) {
  EXPECT_THAT(refusal("a\n{{ x|lenght }}"),
              HasSubstr("arc.yaml:3:9: template 2:6: 'lenght' is not a known filter (did you mean "
                        "'length'?); filters: abs, "));
  EXPECT_THAT(refusal("{{ x.stripp() }}"), HasSubstr("(did you mean 'strip'?); methods: "));
  EXPECT_THAT(refusal("{{ x is defned }}"), HasSubstr("(did you mean 'defined'?); tests: "));
  EXPECT_THAT(refusal("{{ zip(a, b) }}"), HasSubstr("'zip' is not a known function"));
  EXPECT_THAT(refusal("{% include 'x' %}"), HasSubstr("'include' is not a known block"));
  EXPECT_THAT(refusal("{{ x.__class__ }}"), HasSubstr("'__class__'"));
  EXPECT_THAT(refusal("{{ (x|tojson) + 'a' }}"), HasSubstr("have to be the last filter"));
  EXPECT_THAT(refusal("{% for x in y recursive %}{% endfor %}"), HasSubstr("recursive"));
  EXPECT_THAT(refusal("\n{% if x %}"),
              HasSubstr("template 2:1: '{% if %}' is not closed; expected 'elif' or 'else' or"));
  EXPECT_THAT(refusal("{{ f(*x) }}"), HasSubstr("'*' before an argument"));
  EXPECT_THAT(refusal("{{ 18446744073709551616 }}"), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(refusal("\xff"), HasSubstr("not valid UTF-8 at byte 0"));
}

TEST(Template, ATagThatIsNotClosedIsNamedWhereItOpens) {
  const std::string expected = "arc.yaml:3:9: template 1:9: '{{' is not closed by '}}'";
  EXPECT_EQ(refusal("Capital {{country?"), expected);
  EXPECT_EQ(refusal("Capital {{country}"), expected);
  EXPECT_EQ(refusal("Capital {{country} and {{city}}"), expected);
  EXPECT_EQ(refusal("Capital {{country\nAnswer:"), expected);
  EXPECT_THAT(refusal("{% if x? %}"), HasSubstr("template 1:8: unexpected character '?'"));
  EXPECT_THAT(refusal("{{ x) }}"), HasSubstr("template 1:5: unexpected ')'"));
}

// Python's own attributes go before a dict's keys of that name, which nobody means.
TEST(Template, AMethodThatIsNotCalledIsRefused) {
  EXPECT_THAT(test::error_message([] {
                rendered("{{ d.items }}", {{"d", {{"items", 1}}}});
              }),
              HasSubstr("write .items() to call it, or ['items']"));
  EXPECT_EQ(rendered("{{ d['items'] }}", {{"d", {{"items", 1}}}}), "1");
  EXPECT_EQ(rendered("{{ items }}", {{"items", 1}}), "1");
}

TEST(Template, WorkIsBounded) {
  for (const char* const text :
       {"{{ 'x' * 100000000 }}", "{{ [1] * 100000000 }}", "{{ range(10000000) }}",
        "{% for i in range(1000000) %}{{ 'a' * 1000 }}{% endfor %}",
        "{% for i in range(20000) %}{% for j in range(20000) %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(x=[]) %}{% for i in range(200) %}{% set ns.x = [ns.x] %}{% endfor "
        "%}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}"
        "{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ 'x'.center(100000000) }}",
        "{{ ('x' * 10000)|replace('x', 'y' * 10000) }}", "{{ '%99999999d' % 1 }}", "{{ 9 ** 999 }}",
        "{{ ('a' * 60 ~ '!')|regex_replace('(a|aa)+$', '') }}"}) {
    EXPECT_THROW(rendered(text), Error) << text;
  }
}

TEST(Template, DeepTemplatesAreRefusedNotFollowed) {
  const auto repeated = [](const std::string& part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
  };
  for (const std::string& text :
       {"{{ " + repeated("(", 20000) + "1" + repeated(")", 20000) + " }}",
        "{{ " + repeated("[", 20000) + repeated("]", 20000) + " }}",
        "{{ " + repeated("-", 20000) + "1 }}", "{{ " + repeated("not ", 20000) + "1 }}",
        "{{ x" + repeated("|trim", 20000) + " }}", "{{ x" + repeated(".a", 20000) + " }}",
        "{{ 1" + repeated(" if 1 else 1", 20000) + " }}", repeated("{% if 1 %}", 20000)}) {
    EXPECT_THAT(refusal(text), HasSubstr("nested")) << text.substr(0, 30);
  }
  // Long is not deep.
  EXPECT_EQ(rendered("{{ 0" + repeated(" + 1", 5000) + " }}"), "5000");
  EXPECT_EQ(rendered("{% if 0 %}" + repeated("{% elif 0 %}", 5000) + "{% else %}x{% endif %}"),
            "x");
}

TEST(Template, ADeepDocumentIsRefused) {
  Json deep = 1;
  for (int i = 0; i < 200; ++i) deep = Json::array({deep});
  EXPECT_THROW(rendered("{{ x }}", {{"x", deep}}), Error);
  EXPECT_EQ(rendered("{{ y }}", {{"x", deep}, {"y", 1}}), "1");
}

}  // namespace
}  // namespace yardstick::tasks
