#include "reports/html_cells.hpp"

#include <fmt/format.h>

#include "reports/format.hpp"

namespace yardstick::reports {

std::string swatch(std::size_t model) {
  return fmt::format("<span class=\"swatch s{}\"></span>", model % 8);
}

HtmlCell model_cell(std::size_t model, std::string_view name) {
  return {.body = swatch(model) + escape_html(name), .css_class = ""};
}

HtmlCell text_cell(std::string_view text) { return {.body = escape_html(text), .css_class = ""}; }

}  // namespace yardstick::reports
