// Every row of jinja2's results that is stored beside the checkout (golden/jinja): the task files
// of lm-evaluation-harness on real documents, and small cases for each construct.
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tasks/template/python_literal.hpp"
#include "tasks/template/template.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::tasks {
namespace {

using Json = nlohmann::ordered_json;

template <typename Check>
void for_each_row(const char* name, const Check& check) {
  std::ifstream file(test::shared_path("golden/jinja") / name);
  ASSERT_TRUE(file.is_open()) << name;
  int row = 0;
  for (std::string line; std::getline(file, line); ++row) {
    SCOPED_TRACE(std::string(name) + ":" + std::to_string(row + 1));
    check(Json::parse(line));
  }
  EXPECT_GT(row, 100) << name;
}

// What jinja2 renders, or an Error where it raises.
void expect_rendered(const Json& row, const Json& document, const char* expected) {
  const std::string text = row.at("template").get<std::string>();
  SCOPED_TRACE(text);
  if (row.contains("error")) {
    EXPECT_THROW(static_cast<void>(Template(text, "t").render(document)), Error);
    return;
  }
  try {
    EXPECT_EQ(Template(text, "t").render(document), row.at(expected).get<std::string>());
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

TEST(TemplateGolden, SmallCases) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for_each_row("pairs.jsonl",
               [](const Json& row) { expect_rendered(row, row.at("context"), "expected"); });
}

TEST(TemplateGolden, TemplatesOfTheHarness) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  for_each_row("lm_eval_templates.jsonl",
               [](const Json& row) { expect_rendered(row, row.at("doc"), "rendered"); });
}

// A rendered list is read back as a Python literal; the value of the expression is the same.
TEST(TemplateGolden, TasksOfTheHarness) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  int lists = 0;
  for_each_row("lm_eval_tasks.jsonl", [&](const Json& row) {
    for (const char* const key : {"doc_to_text", "doc_to_target", "doc_to_choice"}) {
      if (!row.contains(key) || row.at(key).at("kind") != "jinja") continue;
      const Json& field = row.at(key);
      expect_rendered(field, row.at("doc"), "rendered");
      const Json& value = field.at("value");
      if (!value.is_array()) continue;
      ++lists;
      EXPECT_EQ(parse_python_literal(field.at("rendered").get<std::string>()), value);
      const Template whole(field.at("template").get<std::string>(), "t");
      if (whole.is_expression()) {
        EXPECT_EQ(whole.evaluate(row.at("doc")), value);
      }
    }
  });
  EXPECT_GT(lists, 100);
}

}  // namespace
}  // namespace yardstick::tasks
