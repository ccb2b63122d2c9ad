// The few SVG elements that the figures use, as text; colours come from the page's CSS classes, so
// that one figure serves light and dark.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardstick::reports::svg {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

/// Text at (x, y); escaped.
[[nodiscard]] std::string text(Point at, std::string_view words, Anchor anchor,
                               std::string_view css_class);
[[nodiscard]] std::string line(Point from, Point to, std::string_view css_class);
[[nodiscard]] std::string polyline(const std::vector<Point>& points, std::string_view css_class);
[[nodiscard]] std::string polygon(const std::vector<Point>& points, std::string_view css_class);

/// One of six distinguishable shapes, so that series can be told apart without colour. `hover` is
/// shown by the browser as a tool tip; escaped.
[[nodiscard]] std::string marker(Point at, std::size_t shape, std::string_view css_class,
                                 std::string_view hover);

/// The element <svg> with a view box of width x height around `body`; `label` is read by screen
/// readers; escaped.
[[nodiscard]] std::string document(double width, double height, std::string_view label,
                                   std::string_view body);

}  // namespace yardstick::reports::svg
