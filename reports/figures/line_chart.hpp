// A line chart over lengths: log2 x axis, interval bands, the training lengths marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/figures/axis.hpp"

namespace yardstick::reports {

struct ChartPoint {
  double x = 0;  ///< tokens
  double y = 0;
  std::optional<double> low;  ///< 95 % interval
  std::optional<double> high;
  std::string hover;  ///< shown by the browser over the point
};

struct Series {
  std::string name;
  std::size_t colour = 0;  ///< index of the model: the same colour and mark in every figure
  std::vector<ChartPoint> points;
};

struct LineChart {
  std::string title;  ///< for screen readers
  std::string x_label;
  std::string y_label;
  Scale y_scale = Scale::kLinear;
  std::optional<Axis::Range> y_range;  ///< fixed (shares: 0 to 1); else from the data
  enum class YFormat { kPlain, kPercent } y_format = YFormat::kPlain;
  std::vector<Series> series;
  std::vector<std::int64_t> marked_lengths;  ///< vertical lines: "trained at 128"
};

/// The chart as one SVG element. Series end in their names, moved apart so that none overlap.
[[nodiscard]] std::string draw(const LineChart& chart);

}  // namespace yardstick::reports
