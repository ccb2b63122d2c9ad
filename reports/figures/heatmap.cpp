#include "reports/figures/heatmap.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/figures/svg.hpp"
#include "reports/format.hpp"

namespace yardstick::reports {
namespace {

constexpr double kLeft = 52;
constexpr double kHalfLabel = 84;  // half the width of "context length (tokens)"
constexpr double kTop = 8;
constexpr double kCellWidth = 54;
constexpr double kCellHeight = 30;
constexpr std::int64_t kReadable = 5;

std::string draw_cell(const HeatCell& cell, double x, double y) {
  const auto rect = [&](std::string_view css_class, std::string_view extra) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"{}/>",
        x + 1, y + 1, kCellWidth - 2, kCellHeight - 2, css_class, extra);
  };
  const svg::Point centre{x + kCellWidth / 2, y + kCellHeight / 2 + 4};
  std::string body;
  if (!cell.share) {
    body = rect("heat-missing", "") + svg::text(centre, cell.note, svg::Anchor::kMiddle, "note");
  } else {
    body = rect("heat-ground", "") +
           rect("heat", fmt::format(" fill-opacity=\"{:.3f}\"", 0.04 + 0.96 * *cell.share));
    if (cell.n < kReadable) body += rect("heat-few", "");
    body += svg::text(centre, fmt::format("{:.0f}", 100 * *cell.share), svg::Anchor::kMiddle,
                      *cell.share > 0.5 ? "heat-text on" : "heat-text");
  }
  return fmt::format("<g><title>{}</title>{}</g>", escape_html(cell.hover), body);
}

}  // namespace

std::string draw(const Heatmap& heatmap) {
  const double right = kLeft + kCellWidth * static_cast<double>(heatmap.lengths.size());
  const double bottom = kTop + kCellHeight * static_cast<double>(heatmap.depths.size());
  std::string body;
  for (std::size_t row = 0; row < heatmap.depths.size(); ++row) {
    const double y = kTop + kCellHeight * static_cast<double>(row);
    body +=
        svg::text({kLeft - 6, y + kCellHeight / 2 + 4},
                  fmt::format("{:.0f} %", 100 * heatmap.depths[row]), svg::Anchor::kEnd, "tick");
    for (std::size_t column = 0; column < heatmap.lengths.size(); ++column) {
      body +=
          draw_cell(heatmap.rows[row][column], kLeft + kCellWidth * static_cast<double>(column), y);
    }
  }
  for (std::size_t column = 0; column < heatmap.lengths.size(); ++column) {
    const double x = kLeft + kCellWidth * static_cast<double>(column);
    body += svg::text({x + kCellWidth / 2, bottom + 16}, format_length(heatmap.lengths[column]),
                      svg::Anchor::kMiddle, "tick");
    const bool last_in_range = heatmap.training_length &&
                               heatmap.lengths[column] <= *heatmap.training_length &&
                               (column + 1 == heatmap.lengths.size() ||
                                heatmap.lengths[column + 1] > *heatmap.training_length);
    if (last_in_range)
      body += svg::line({x + kCellWidth, kTop - 4}, {x + kCellWidth, bottom + 4}, "trained");
  }
  const double middle = (kLeft + right) / 2;
  body +=
      svg::text({middle, bottom + 36}, "context length (tokens)", svg::Anchor::kMiddle, "label");
  return svg::document(std::max(right + 10, middle + kHalfLabel), bottom + 44, heatmap.title, body);
}

}  // namespace yardstick::reports
