// Cells that several sections of the page have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/html_table.hpp"

namespace yardstick::reports {

/// A dot in the model's colour, the same as in every figure.
[[nodiscard]] std::string swatch(std::size_t model);
/// The model's dot and `name`: its own, or that of one of its curves.
[[nodiscard]] HtmlCell model_cell(std::size_t model, std::string_view name);
[[nodiscard]] HtmlCell text_cell(std::string_view text);

}  // namespace yardstick::reports
