#include "reports/figures/heatmap.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/figures/svg.hpp"
#include "reports/format.hpp"

namespace yardstick::reports {
namespace {

constexpr double kLeft = 50;
constexpr double kHalfLabel = 84;  // half the width of "context length (tokens)"
constexpr double kTop = 26;
constexpr double kCellWidth = 54;
constexpr double kCellHeight = 38;
constexpr std::int64_t kReadable = 5;

std::string box(svg::Point corner, svg::Point size, std::string_view css_class,
                std::string_view extra) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"{}/>",
      corner.x, corner.y, size.x, size.y, css_class, extra);
}

// Even a share of 0 has some colour, so that it is told from a missing cell.
std::string opacity(double share) {
  return fmt::format(" fill-opacity=\"{:.3f}\"", 0.04 + 0.96 * share);
}

std::string draw_cell(const HeatCell& cell, double x, double y) {
  const svg::Point corner{x + 1, y + 1};
  const svg::Point size{kCellWidth - 2, kCellHeight - 2};
  const double centre = x + kCellWidth / 2;
  std::string body;
  if (!cell.share) {
    body = box(corner, size, "heat-missing", "") +
           svg::text({centre, y + kCellHeight / 2 + 4}, cell.note, svg::Anchor::kMiddle, "note");
  } else {
    body = box(corner, size, "heat-ground", "") + box(corner, size, "heat", opacity(*cell.share));
    if (cell.n < kReadable) body += box(corner, size, "heat-few", "");
    const std::string_view on = *cell.share > 0.5 ? " on" : "";
    body += svg::text({centre, y + 17}, fmt::format("{:.0f}", 100 * *cell.share),
                      svg::Anchor::kMiddle, fmt::format("heat-text{}", on));
    body += svg::text({centre, y + 31}, cell.hits, svg::Anchor::kMiddle,
                      fmt::format("heat-hits{}", on));
  }
  return fmt::format("<g><title>{}</title>{}</g>", escape_html(cell.hover), body);
}

double right_of(const Heatmap& heatmap) {
  return kLeft + kCellWidth * static_cast<double>(heatmap.lengths.size());
}

}  // namespace

double width_of(const Heatmap& heatmap) {
  const double right = right_of(heatmap);
  return std::max(right + 10, (kLeft + right) / 2 + kHalfLabel);
}

std::string draw(const Heatmap& heatmap) {
  const double right = right_of(heatmap);
  const double bottom = kTop + kCellHeight * static_cast<double>(heatmap.depths.size());
  std::string body = svg::text({0, kTop - 10}, "depth (0 % = start)", svg::Anchor::kStart, "label");
  for (std::size_t row = 0; row < heatmap.depths.size(); ++row) {
    const double y = kTop + kCellHeight * static_cast<double>(row);
    body +=
        svg::text({kLeft - 6, y + kCellHeight / 2 + 4},
                  fmt::format("{:.3g} %", 100 * heatmap.depths[row]), svg::Anchor::kEnd, "tick");
    for (std::size_t column = 0; column < heatmap.lengths.size(); ++column) {
      body +=
          draw_cell(heatmap.rows[row][column], kLeft + kCellWidth * static_cast<double>(column), y);
    }
  }
  for (std::size_t column = 0; column < heatmap.lengths.size(); ++column) {
    const double x = kLeft + kCellWidth * static_cast<double>(column);
    body += svg::text({x + kCellWidth / 2, bottom + 16}, format_length(heatmap.lengths[column]),
                      svg::Anchor::kMiddle, "tick");
  }
  if (heatmap.beyond_training) {
    const double x = kLeft + kCellWidth * static_cast<double>(*heatmap.beyond_training);
    body += svg::line({x, kTop - 4}, {x, bottom + 4}, "trained");
  }
  body += svg::text({(kLeft + right) / 2, bottom + 36}, "context length (tokens)",
                    svg::Anchor::kMiddle, "label");
  return svg::document(width_of(heatmap), bottom + 44, heatmap.title, body);
}

std::string draw_heatmap_legend() {
  constexpr double kStep = 28;
  constexpr double kWidth = 430;
  const svg::Point swatch{kStep - 2, 18};
  std::string body;
  for (int i = 0; i <= 5; ++i) {
    const svg::Point corner{kStep * i + 1, 2};
    body += box(corner, swatch, "heat-ground", "") + box(corner, swatch, "heat", opacity(i / 5.0));
    body += svg::text({corner.x + swatch.x / 2, 15}, fmt::format("{}", 20 * i),
                      svg::Anchor::kMiddle, i > 2 ? "heat-hits on" : "heat-hits");
  }
  const auto say = [&](double x, double y, std::string_view words) {
    body += svg::text({x, y}, words, svg::Anchor::kStart, "note");
  };
  say(6 * kStep + 8, 15, "per cent correct; below it k of n");
  body += box({1, 30}, swatch, "heat-ground", "") + box({1, 30}, swatch, "heat-few", "");
  say(kStep + 6, 43, "n below 5");
  body += box({119, 30}, swatch, "heat-missing", "");
  say(kStep + 124, 43, "no result");
  body += svg::line({246, 28}, {246, 50}, "trained");
  say(254, 43, "training length");
  return svg::document(kWidth, 54, "legend of the grids", body);
}

}  // namespace yardstick::reports
