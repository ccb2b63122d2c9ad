// Python's values in templates: what jinja2 3.1.6 on CPython 3.14 renders for the same lines.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/template/template.hpp"

namespace yardstick::tasks {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::pair<std::string, std::string>>;

void expect_rendered(const Rows& rows) {
  const Json document = {{"s", "Zoë ΟΔΟΣ straße ﬁ"},
                         {"l", {"b", "A", "c"}},
                         {"d", {{"b", 1}, {"a", {2.5, nullptr}}}},
                         {"n", 7},
                         {"f", std::vector<double>(10, 0.1)}};
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(Template(text, "t").render(document), expected) << text;
  }
}

TEST(TemplateValues, Text) {
  expect_rendered({
      {"{{ s.upper() }}|{{ s.lower() }}|{{ s.title() }}|{{ s.swapcase() }}",
       "ZOË ΟΔΟΣ STRASSE FI|zoë οδος straße ﬁ|Zoë Οδος Straße Fi|zOË οδος STRASSE FI"},
      {"{{ s[1:3] }}{{ s[-1] }}{{ s|length }}{{ s.find('s') }}{{ s[::-1] }}",
       "oëﬁ179ﬁ eßarts ΣΟΔΟ ëoZ"},
      {"{{ ' a  b c '.split(none, 1) }}{{ ' a  b c '.rsplit(none, 1) }}{{ 'a,b,,c'.split(',') }}",
       "['a', 'b c '][' a  b', 'c']['a', 'b', '', 'c']"},
      {"{{ '%05.1f|%-4s|%+d|%x' % (2.25, 'a', 3, 255) }}", "002.2|a   |+3|ff"},
      {"{{ 'ab'.center(5, '*') }}{{ 'abc'.center(6, '*') }}{{ '-7'.zfill(4) }}", "**ab**abc**-007"},
  });
}

TEST(TemplateValues, ListsAndDicts) {
  expect_rendered({
      {"{{ l|sort }}{{ l|sort(case_sensitive=true) }}{{ l|min }}{{ l|max }}{{ l|reverse|list }}",
       "['A', 'b', 'c']['A', 'b', 'c']Ac['c', 'A', 'b']"},
      {"{{ d }}{{ d.items()|list }}{{ d|dictsort }}{{ d.get('x', 0) }}",
       "{'b': 1, 'a': [2.5, None]}[('b', 1), ('a', [2.5, None])]"
       "[('a', [2.5, None]), ('b', 1)]0"},
      {"{{ range(9)[2:7:2] }} {{ range(5)[-1] }} {{ 3 in range(5) }}", "range(2, 7, 2) 4 True"},
  });
}

TEST(TemplateValues, Numbers) {
  expect_rendered({
      {"{{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 // -2 }} {{ -7.5 % 2 }} {{ 2 ** 62 }} {{ 2 ** -1 }}",
       "-4 2 -4.0 0.5 4611686018427387904 0.5"},
      {"{{ f|sum }} {{ 1e16 }} {{ 1e15 }} {{ 0.00001 }} {{ 2 / 3 }} {{ 1e400 }}",
       "1.0 1e+16 1000000000000000.0 1e-05 0.6666666666666666 inf"},
      {"{{ 1 < n <= 7 }}{{ not n }}{{ n and '' or 'z' }}{{ 'y' if n > 9 }}|", "TrueFalsez|"},
  });
}

TEST(TemplateValues, VariablesBelongToTheirBlock) {
  expect_rendered({
      {"{% set x = 1 %}{% for i in range(2) %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}",
       "221"},
      {"{% set x %}a{{ n }}{% endset %}{{ x|upper }}", "A7"},
      {"{% for k, v in d.items() %}{{ loop.index }}{{ k }}={{ v }}{{ ', ' if not loop.last }}"
       "{% endfor %}",
       "1b=1, 2a=[2.5, None]"},
  });
}

}  // namespace
}  // namespace yardstick::tasks
