#include "reports/html_table.hpp"

#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "reports/format.hpp"

namespace yardstick::reports {
namespace {

/// How many columns a table has, and on which media it is set row by row.
struct Width {
  std::size_t most_columns;
  std::string_view css_class;
  std::string_view media;  ///< empty: never; "all": always
};

constexpr std::array<Width, 4> kWidths = {{{4, "w1", ""},
                                           {8, "w2", "screen and (max-width: 700px)"},
                                           {13, "w3", "print, screen and (max-width: 1100px)"},
                                           {static_cast<std::size_t>(-1), "w4", "all"}}};

std::string_view css_class_of(std::size_t columns) {
  for (const Width& width : kWidths) {
    if (columns <= width.most_columns) return width.css_class;
  }
  return kWidths.back().css_class;
}

std::string css_class(const HtmlColumn& column, const HtmlCell& cell) {
  std::string name = column.kind == HtmlColumn::Kind::kNumber ? "num" : "";
  if (!cell.css_class.empty()) name += (name.empty() ? "" : " ") + cell.css_class;
  return name.empty() ? "" : fmt::format(" class=\"{}\"", name);
}

}  // namespace

void HtmlTable::add(const std::vector<HtmlCell>& cells) {
  check(cells.size() == columns_.size(), "a row has a cell for each column");
  rows_ += fmt::format("<tr><th scope=\"row\"{}>{}</th>", css_class(columns_[0], cells[0]),
                       cells[0].body);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    rows_ += fmt::format("<td{} data-label=\"{}\">{}</td>", css_class(columns_[i], cells[i]),
                         escape_html(columns_[i].title), cells[i].body);
  }
  rows_ += "</tr>\n";
}

std::string HtmlTable::html(std::string_view caption) const {
  std::string head;
  for (const HtmlColumn& column : columns_) {
    head += fmt::format("<th scope=\"col\"{}>{}</th>", css_class(column, {}),
                        escape_html(column.title));
  }
  return fmt::format(
      "<table class=\"{}\"><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table>{}\n",
      css_class_of(columns_.size()), head, rows_,
      caption.empty() ? "" : fmt::format("<p class=\"quiet\">{}</p>", caption));
}

std::string table_style() {
  std::string style;
  for (const Width& width : kWidths) {
    if (width.media.empty()) continue;
    style += fmt::format(
        "@media {0} {{ table.{1}, table.{1} tbody {{ display: block; }} table.{1} thead {{ "
        "display: "
        "none; }}\n"
        "table.{1} tr {{ display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 7px 0; "
        "border-bottom: "
        "1px solid var(--line); }}\n"
        "table.{1} tr > th {{ flex: 1 0 100%; }} table.{1} tr > * {{ border: 0; padding: 0; "
        "text-align: left; }}\n"
        "table.{1} td:empty {{ display: none; }} table.{1} td::before {{ content: "
        "attr(data-label); "
        "display: block; color: var(--quiet); font-size: .78rem; font-weight: 400; }} }}\n",
        width.media, width.css_class);
  }
  return style;
}

}  // namespace yardstick::reports
