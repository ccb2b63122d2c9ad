#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/figures/heatmap.hpp"
#include "reports/figures/line_chart.hpp"

namespace yardstick::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

LineChart two_curves() {
  LineChart chart{
      .title = "t", .x_label = "length", .y_label = "perplexity", .y_scale = Scale::kLogarithmic};
  for (std::size_t i = 0; i < 2; ++i) {
    Series series{.name = i == 0 ? "one" : "<two>", .colour = i};
    for (const double x : {128.0, 256.0, 512.0}) series.points.push_back({x, 4.0, 3.9, 4.1, "at"});
    chart.series.push_back(series);
  }
  chart.marked_lengths = {256};
  return chart;
}

std::vector<double> label_heights(const std::string& svg) {
  std::vector<double> heights;
  for (std::size_t at = svg.find("class=\"name"); at != std::string::npos;
       at = svg.find("class=\"name", at + 1)) {
    const std::size_t y = svg.rfind(" y=\"", at);
    heights.push_back(std::stod(svg.substr(y + 4)));
  }
  return heights;
}

TEST(LineChart, NamesOfCoincidingCurvesDoNotOverlap) {
  const std::vector<double> heights = label_heights(draw(two_curves()));
  ASSERT_EQ(heights.size(), 2U);
  EXPECT_GE(std::abs(heights[0] - heights[1]), 15);
}

TEST(LineChart, EscapesNamesAndMarksTheTrainingLength) {
  const std::string svg = draw(two_curves());
  EXPECT_THAT(svg, HasSubstr("&lt;two&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<two>")));
  EXPECT_THAT(svg, HasSubstr("trained at 256"));
}

TEST(LineChart, AnEmptyChartIsStillAPicture) {
  EXPECT_THAT(draw(LineChart{.title = "t", .x_label = "x", .y_label = "y"}), HasSubstr("</svg>"));
}

TEST(Heatmap, MissingIsNotZeroAndFewSamplesAreHatched) {
  const Heatmap map{
      .title = "t",
      .lengths = {128, 256, 512},
      .depths = {0.0},
      .rows = {{{.share = std::nullopt, .n = 0, .hits = "", .note = "n/a", .hover = "why"},
                {.share = 0.0, .n = 20, .hits = "0/20", .note = "", .hover = ""},
                {.share = 1.0, .n = 4, .hits = "4/4", .note = "", .hover = ""}}},
      .beyond_training = 1};
  const std::string svg = draw(map);
  EXPECT_THAT(svg, HasSubstr("heat-missing"));
  EXPECT_THAT(svg, HasSubstr(">0<"));
  EXPECT_THAT(svg, HasSubstr("heat-few"));
  EXPECT_THAT(svg, HasSubstr("<title>why</title>"));
}

TEST(Heatmap, HasADepthAxisCountsAndALegend) {
  const Heatmap map{.title = "t",
                    .lengths = {128},
                    .depths = {0.25},
                    .rows = {{{.share = 0.9, .n = 10, .hits = "9/10", .note = "", .hover = ""}}},
                    .beyond_training = {}};
  const std::string svg = draw(map);
  for (const char* part :
       {">depth (0 % = start)<", ">25 %<", ">context length (tokens)<", ">90<", ">9/10<"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  EXPECT_THAT(svg, Not(HasSubstr("class=\"trained\"")));
  const std::string legend = draw_heatmap_legend();
  for (const char* part : {">0<", ">100<", "heat-few", "heat-missing", "n below 5", "no result"})
    EXPECT_THAT(legend, HasSubstr(part));
}

}  // namespace
}  // namespace yardstick::reports
