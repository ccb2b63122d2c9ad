#include "reports/figures/svg.hpp"

#include <array>

#include <fmt/format.h>

#include "reports/format.hpp"

namespace yardstick::reports::svg {
namespace {

std::string points_text(const std::vector<Point>& points) {
  std::string out;
  for (const Point& point : points)
    out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", point.x, point.y);
  return out;
}

}  // namespace

std::string text(Point at, std::string_view words, Anchor anchor, std::string_view css_class) {
  constexpr std::array<std::string_view, 3> kAnchors{"start", "middle", "end"};
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>",
                     at.x, at.y, kAnchors.at(static_cast<std::size_t>(anchor)), css_class,
                     escape_html(words));
}

std::string line(Point from, Point to, std::string_view css_class) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>",
                     from.x, from.y, to.x, to.y, css_class);
}

std::string polyline(const std::vector<Point>& points, std::string_view css_class) {
  return fmt::format("<polyline points=\"{}\" class=\"{}\"/>", points_text(points), css_class);
}

std::string polygon(const std::vector<Point>& points, std::string_view css_class) {
  return fmt::format("<polygon points=\"{}\" class=\"{}\"/>", points_text(points), css_class);
}

std::string marker(Point at, std::size_t shape, std::string_view css_class,
                   std::string_view hover) {
  constexpr double kRadius = 4.5;
  const auto [x, y] = at;
  const auto closed = [&](std::initializer_list<Point> offsets) {
    std::vector<Point> points;
    for (const Point& o : offsets) points.push_back({x + kRadius * o.x, y + kRadius * o.y});
    return fmt::format("<polygon points=\"{}\"/>", points_text(points));
  };
  std::string body;
  switch (shape % 6) {
    case 0:
      body = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x, y, kRadius * 0.9);
      break;
    case 1: body = closed({{-0.85, -0.85}, {0.85, -0.85}, {0.85, 0.85}, {-0.85, 0.85}}); break;
    case 2: body = closed({{0, -1.1}, {1.05, 0.8}, {-1.05, 0.8}}); break;
    case 3: body = closed({{0, -1.2}, {1.1, 0}, {0, 1.2}, {-1.1, 0}}); break;
    case 4: body = closed({{0, 1.1}, {1.05, -0.8}, {-1.05, -0.8}}); break;
    default:
      body = closed({{-0.4, -1.1},
                     {0.4, -1.1},
                     {0.4, -0.4},
                     {1.1, -0.4},
                     {1.1, 0.4},
                     {0.4, 0.4},
                     {0.4, 1.1},
                     {-0.4, 1.1},
                     {-0.4, 0.4},
                     {-1.1, 0.4},
                     {-1.1, -0.4},
                     {-0.4, -0.4}});
  }
  return fmt::format("<g class=\"mark {}\"><title>{}</title>{}</g>", css_class, escape_html(hover),
                     body);
}

std::string document(double width, double height, std::string_view label, std::string_view body) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">"
      "{}</svg>\n",
      width, height, escape_html(label), body);
}

}  // namespace yardstick::reports::svg
