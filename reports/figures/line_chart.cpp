#include "reports/figures/line_chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/figures/svg.hpp"

namespace yardstick::reports {
namespace {

constexpr double kHeight = 360;
constexpr double kLeft = 62;
constexpr double kRight = 548;
constexpr double kLetter = 9.4;  // a generous mean width of the names, at the size of narrow pages
constexpr double kTop = 26;
constexpr double kBottom = 308;
constexpr double kLabelGap = 17;

std::string css(std::string_view kind, const Series& series) {
  return fmt::format("{} s{}", kind, series.colour % 8);
}

Axis x_axis(const LineChart& chart) {
  std::vector<double> xs;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) xs.push_back(point.x);
  }
  for (const std::int64_t length : chart.marked_lengths) xs.push_back(static_cast<double>(length));
  Axis::Range range = range_of(xs, Scale::kLogarithmic);
  return {Scale::kLogarithmic, range, {kLeft, kRight}};
}

Axis y_axis(const LineChart& chart) {
  std::vector<double> ys;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      for (const std::optional<double> y : {std::optional(point.y), point.low, point.high}) {
        if (y && (chart.y_scale == Scale::kLinear || *y > 0)) ys.push_back(*y);
      }
    }
  }
  return {chart.y_scale, chart.y_range.value_or(range_of(ys, chart.y_scale)), {kBottom, kTop}};
}

// Ticks at powers of two; every second one where they would touch.
std::string x_ticks(const LineChart& chart, const Axis& x) {
  std::set<double> values;
  const double low = std::ceil(std::log2(x.data().low));
  const double high = std::floor(std::log2(x.data().high));
  const double stride = high - low > 9 ? 2 : 1;
  for (double k = low; k <= high; k += stride) values.insert(std::exp2(k));
  std::string out;
  for (const double value : values) {
    const double px = x.at(value);
    out += svg::line({px, kBottom}, {px, kBottom + 4}, "axis");
    out += svg::text({px, kBottom + 18}, format_length(std::llround(value)), svg::Anchor::kMiddle,
                     "tick");
  }
  return out + svg::text({(kLeft + kRight) / 2, kBottom + 40}, chart.x_label, svg::Anchor::kMiddle,
                         "label");
}

std::string y_ticks(const LineChart& chart, const Axis& y) {
  std::string out;
  for (const Tick& tick : value_ticks(y.data(), chart.y_scale)) {
    const double py = y.at(tick.value);
    const std::string label = chart.y_format == LineChart::YFormat::kPercent
                                  ? fmt::format("{:.0f} %", 100 * tick.value)
                                  : tick.label;
    out += svg::line({kLeft, py}, {kRight, py}, "grid");
    out += svg::text({kLeft - 8, py + 4}, label, svg::Anchor::kEnd, "tick");
  }
  return out + svg::text({kLeft - 50, kTop - 12}, chart.y_label, svg::Anchor::kStart, "label");
}

std::string marked_lengths(const LineChart& chart, const Axis& x) {
  std::string out;
  for (const std::int64_t length : chart.marked_lengths) {
    const double px = x.at(static_cast<double>(length));
    out += svg::line({px, kTop}, {px, kBottom}, "trained");
    out += svg::text({px + 5, kTop - 6}, "trained at " + format_length(length), svg::Anchor::kStart,
                     "note");
  }
  return out;
}

std::string band(const Series& series, const Axis& x, const Axis& y) {
  std::vector<svg::Point> upper;
  std::vector<svg::Point> lower;
  for (const ChartPoint& point : series.points) {
    if (!point.low || !point.high) continue;
    const double floor = y.data().low;
    upper.push_back({x.at(point.x), y.at(std::max(*point.high, floor))});
    lower.push_back({x.at(point.x), y.at(std::max(*point.low, floor))});
  }
  if (upper.size() < 2) return "";
  upper.insert(upper.end(), lower.rbegin(), lower.rend());
  return svg::polygon(upper, css("band", series));
}

std::string curve(const Series& series, const Axis& x, const Axis& y) {
  std::vector<svg::Point> points;
  std::string marks;
  for (const ChartPoint& point : series.points) {
    points.push_back({x.at(point.x), y.at(point.y)});
    marks += svg::marker(points.back(), series.colour, css("", series), point.hover);
  }
  return svg::polyline(points, css("curve", series)) + marks;
}

// Names at the ends of the curves, pushed apart from top to bottom, then back up from the bottom.
std::string end_labels(const LineChart& chart, const Axis& y) {
  struct Label {
    const Series* series;
    double wanted;
    double at;
  };
  std::vector<Label> labels;
  for (const Series& series : chart.series) {
    if (series.points.empty()) continue;
    const double wanted = std::clamp(y.at(series.points.back().y), kTop, kBottom);
    labels.push_back({&series, wanted, wanted});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.wanted < b.wanted; });
  for (std::size_t i = 1; i < labels.size(); ++i) {
    labels[i].at = std::max(labels[i].at, labels[i - 1].at + kLabelGap);
  }
  double limit = kBottom;
  for (std::size_t i = labels.size(); i-- > 0;) {
    labels[i].at = std::min(labels[i].at, limit);
    limit = labels[i].at - kLabelGap;
  }
  std::string out;
  for (const Label& label : labels) {
    out += svg::line({kRight + 2, label.wanted}, {kRight + 12, label.at},
                     css("leader", *label.series));
    out += svg::text({kRight + 15, label.at + 4}, label.series->name, svg::Anchor::kStart,
                     css("name", *label.series));
  }
  return out;
}

}  // namespace

std::string draw(const LineChart& chart) {
  const Axis x = x_axis(chart);
  const Axis y = y_axis(chart);
  std::string body = y_ticks(chart, y) + x_ticks(chart, x) + marked_lengths(chart, x);
  body += svg::line({kLeft, kBottom}, {kRight, kBottom}, "axis");
  for (const Series& series : chart.series) body += band(series, x, y);
  for (const Series& series : chart.series) body += curve(series, x, y);
  std::size_t longest = 0;
  for (const Series& series : chart.series) longest = std::max(longest, series.name.size());
  const double width = kRight + 24 + kLetter * static_cast<double>(longest);
  return svg::document(width, kHeight, chart.title, body + end_labels(chart, y));
}

}  // namespace yardstick::reports
