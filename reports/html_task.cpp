// The section of one task: figures and tables of its headline, and the table of all its metrics.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/effective_length.hpp"
#include "reports/figures/heatmap.hpp"
#include "reports/figures/line_chart.hpp"
#include "reports/format.hpp"
#include "reports/html_cells.hpp"
#include "reports/html_sections.hpp"
#include "reports/summary.hpp"

namespace yardstick::reports {
namespace {

using Kind = HtmlColumn::Kind;

std::string figure(std::string_view css_class, std::string_view svg, std::string_view caption) {
  return fmt::format("<figure class=\"{}\">{}<figcaption>{}</figcaption></figure>\n", css_class,
                     svg, caption);
}

HtmlCell value_cell(const Metric& metric, std::string_view css_class) {
  const tasks::Meaning::Unit unit = metric.meaning.unit;
  const std::string value = value_text(unit, metric.value);
  if (value.empty()) return {.body = "n/a", .css_class = fmt::format("missing {}", css_class)};
  std::string body = fmt::format("<b>{}</b>", value);
  if (metric.ci_low && metric.ci_high) {
    body += fmt::format("<small><span>{}</span> to <span>{}</span></small>",
                        value_text(unit, metric.ci_low), value_text(unit, metric.ci_high));
  }
  return {.body = body, .css_class = std::string(css_class)};
}

HtmlCell point_cell(const CurvePoint& point, std::string_view css_class) {
  HtmlCell cell = value_cell(point.metric, css_class);
  if (const std::int64_t missing = point.cells_missing.value_or(0);
      missing > 0 && point.metric.value)
    cell.body +=
        fmt::format("<small class=\"bad\">without {}</small>", plural_text(missing, "depth"));
  return cell;
}

/// "; cells: last=32,longest=2048": what all cells of the curves have in common.
std::string variant_text(const std::vector<Curve>& all) {
  const std::string variant = common_variant(all);
  return variant.empty() ? "" : "; cells: " + escape_html(variant);
}

LineChart base_chart(const Results& results, std::string title) {
  return {.title = std::move(title),
          .x_label = "context length (tokens)",
          .marked_lengths = training_lengths(results)};
}

std::string curve_figure(const Results& results, std::size_t index, const std::vector<Curve>& all) {
  const Task& task = results.tasks[index];
  LineChart chart =
      base_chart(results, fmt::format("{} by length, {}", metric_title(task.headline), task.name));
  chart.y_label = metric_title(task.headline);
  const bool is_logarithmic = task.meaning.scale == tasks::Meaning::Scale::kLogarithmic;
  if (is_logarithmic) chart.y_scale = Scale::kLogarithmic;
  if (task.meaning.unit == tasks::Meaning::Unit::kShare) {
    chart.y_range = Axis::Range{0, 1};
    chart.y_format = LineChart::YFormat::kPercent;
  }
  bool off_scale = false;
  for (const Curve& curve : all) {
    const Model& model = results.models[curve.model];
    Series series{.name = curve_name(results, all, curve), .colour = curve.model};
    for (const CurvePoint& point : curve.points) {
      const Metric& metric = point.metric;
      if (!metric.value || !std::isfinite(*metric.value) || *metric.value > 1e30) {
        off_scale = off_scale || metric.value.has_value();
        continue;
      }
      series.points.push_back(
          {.x = static_cast<double>(point.length),
           .y = *metric.value,
           .low = metric.ci_low,
           .high = metric.ci_high,
           .hover = fmt::format("{} at {}: {}, n = {}", series.name,
                                length_ratio_text(point.length, model.training_length),
                                interval_text(metric), metric.n)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  std::string caption =
      fmt::format("{}, by context length; bands: 95 % intervals; {}{}.{}",
                  escape_html(metric_title(task.headline)), ran_text(results, index),
                  variant_text(all), is_logarithmic ? " Both axes are logarithmic." : "");
  if (off_scale) caption += " Values above 1e30 are not drawn; the table has them.";
  return figure("chart", draw(chart), caption);
}

std::string curve_table(const Results& results, std::size_t index, const std::vector<Curve>& all) {
  const Task& task = results.tasks[index];
  std::vector<HtmlColumn> columns{{.title = "model"}};
  for (const std::int64_t length : lengths_of(results, index))
    columns.push_back({.title = format_length(length), .kind = Kind::kNumber});
  columns.push_back({.title = "effective length", .kind = Kind::kNumber});
  HtmlTable table(std::move(columns));
  for (const Curve& curve : all) {
    const Model& model = results.models[curve.model];
    std::vector<HtmlCell> cells{model_cell(curve.model, curve_name(results, all, curve))};
    for (const CurvePoint& point : curve.points)
      cells.push_back(point_cell(point, model.training_length == point.length ? "trained" : ""));
    const auto effective = effective_length(task, model, curve);
    cells.push_back(text_cell(effective ? to_text(*effective, curve) : "n/a"));
    table.add(cells);
  }
  const std::string caption = fmt::format(
      "{} with 95 % intervals{}; {}{}; shaded: the training length. Effective length: {}.",
      escape_html(metric_title(task.headline)),
      shape_of(results, index) == Shape::kGrid ? ", summed over depths (Wilson)" : "",
      ran_text(results, index), variant_text(all), escape_html(effective_length_rule(task)));
  return table.html(caption);
}

HeatCell heat_cell(const std::string& name, const Model& model, const Cell* cell,
                   std::string_view headline) {
  if (cell == nullptr) return {.note = "", .hover = "not asked for"};
  const std::string place =
      fmt::format("{}, {} tokens, depth {:.3g} %", name,
                  length_ratio_text(cell->length.value_or(0), model.training_length),
                  100 * cell->depth.value_or(0));
  const Metric* metric = cell->find(headline);
  if (metric == nullptr || !metric->value) {
    return {.note = cell->status == "failed" ? "failed" : "n/a",
            .hover = place + ": " + cell->status + " " + cell->message};
  }
  const std::string hits = hits_text(*metric);
  return {.share = metric->value,
          .n = metric->n,
          .hits = hits,
          .note = "",
          .hover = fmt::format("{}: {} correct, {}", place, hits, interval_text(*metric))};
}

/// One curve's grid, in pieces that a narrow page has room for.
std::string grid(const Results& results, std::size_t index, const Curve& curve,
                 const std::string& name) {
  const Model& model = results.models[curve.model];
  const std::string& headline = results.tasks[index].headline;
  const std::vector<std::int64_t> lengths = lengths_of(results, index);
  std::size_t beyond = 0;  // the first column behind the training length
  while (beyond < lengths.size() && model.training_length &&
         lengths[beyond] <= *model.training_length) {
    ++beyond;
  }
  std::string out;
  for (std::size_t first = 0; first < lengths.size(); first += kHeatmapColumns) {
    const std::size_t last = std::min(first + kHeatmapColumns, lengths.size());
    Heatmap map{.title = fmt::format("{}: {} by depth and length", name, headline),
                .lengths = {lengths.begin() + static_cast<std::ptrdiff_t>(first),
                            lengths.begin() + static_cast<std::ptrdiff_t>(last)},
                .depths = depths_of(results, index),
                .rows = {},
                .beyond_training = {}};
    const bool is_here = model.training_length && beyond >= first && beyond < last;
    if (is_here) map.beyond_training = beyond - first;
    for (const double depth : map.depths) {
      map.rows.emplace_back();
      for (const std::int64_t length : map.lengths) {
        const Cell* const cell = find_cell(results, {.model = curve.model,
                                                     .task = index,
                                                     .length = length,
                                                     .depth = depth,
                                                     .variant = curve.variant});
        map.rows.back().push_back(heat_cell(name, model, cell, headline));
      }
    }
    out += fmt::format("<div style=\"width:{:.0f}px;max-width:100%\">{}</div>", width_of(map),
                       draw(map));
  }
  return fmt::format("<figure><h3>{}{}</h3><div class=\"grids\">{}</div></figure>\n",
                     swatch(curve.model), escape_html(name), out);
}

std::string grids(const Results& results, std::size_t index, const std::vector<Curve>& all) {
  std::string out = "<div class=\"grids\">";
  for (const Curve& curve : all)
    out += grid(results, index, curve, curve_name(results, all, curve));
  return out + fmt::format(
                   "</div>\n<figure class=\"legend\">{}<figcaption>{} by depth (rows) and context "
                   "length (columns), from 0 to 100 %; {}{}.</figcaption></figure>\n",
                   draw_heatmap_legend(), escape_html(metric_title(results.tasks[index].headline)),
                   ran_text(results, index), variant_text(all));
}

/// Where a bucket of token indices is drawn: the geometric middle of the places of its tokens,
/// counted from 1. Index 128 is the 129th token, beyond a training length of 128.
double middle_of(const PositionLoss& loss) {
  return std::sqrt(static_cast<double>(loss.first + 1) * static_cast<double>(loss.last + 1));
}

std::string loss_by_position(const Results& results, std::size_t index,
                             const std::vector<Curve>& all) {
  const std::vector<std::int64_t> lengths = lengths_of(results, index);
  if (lengths.empty()) return "";
  LineChart chart = base_chart(results, "loss by position");
  chart.x_label = "token of the window (middle of its bucket)";
  chart.y_label = "mean loss (nats)";
  std::int64_t samples = 0;
  std::int64_t documents = 0;
  for (const Curve& curve : all) {
    const Cell* cell = find_cell(results, {.model = curve.model,
                                           .task = index,
                                           .length = lengths.back(),
                                           .depth = {},
                                           .variant = curve.variant});
    if (cell == nullptr || cell->position_losses.empty()) continue;
    samples = std::max(samples, cell->samples.ok);
    documents = std::max(documents, cell->samples.documents);
    Series series{.name = curve_name(results, all, curve), .colour = curve.model};
    for (const PositionLoss& loss : cell->position_losses) {
      if (loss.count == 0 || !std::isfinite(loss.sum_nll)) continue;
      const double mean = loss.sum_nll / static_cast<double>(loss.count);
      series.points.push_back(
          {.x = middle_of(loss),
           .y = mean,
           .low = std::nullopt,
           .high = std::nullopt,
           .hover = fmt::format("{}, indices {} to {}: {:.3f} nats, {}", series.name, loss.first,
                                loss.last, mean, plural_text(loss.count, "token"))});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const bool is_curve = std::ranges::any_of(
      chart.series, [](const Series& series) { return series.points.size() > 1; });
  if (!is_curve) return "";
  return "<h3>Where the loss is</h3>" +
         figure(
             "chart", draw(chart),
             fmt::format("Mean loss by place in the longest windows ({} tokens), in buckets that "
                         "double; {} of {} a model.",
                         format_length(lengths.back()), plural_text(samples, "sample"),
                         plural_text(documents, "document")));
}

/// Every metric of every cell of a task.
std::string value_table(const Results& results, std::size_t index) {
  const std::vector<std::string> names = metric_names(results, index);
  const bool has_axes = std::ranges::any_of(results.cells, [&](const Cell& cell) {
    return cell.task == index && !axes_text(cell).empty();
  });
  std::vector<HtmlColumn> columns{{.title = "model"}};
  if (has_axes) columns.push_back({.title = "cell"});
  for (const std::string& name : names) columns.push_back({.title = name, .kind = Kind::kNumber});
  columns.push_back({.title = "samples", .kind = Kind::kNumber});
  HtmlTable table(std::move(columns));
  for (const Cell& cell : results.cells) {
    if (cell.task != index) continue;
    std::vector<HtmlCell> cells{model_cell(cell.model, results.models[cell.model].name)};
    if (has_axes) cells.push_back(text_cell(axes_text(cell)));
    for (const std::string& name : names) {
      const Metric* metric = cell.find(name);
      cells.push_back(value_cell(metric == nullptr ? Metric{.name = name} : *metric, ""));
    }
    cells.push_back(text_cell(fmt::format("{}", cell.samples.ok)));
    table.add(cells);
  }
  return table.html(fmt::format("Small: 95 % intervals; {}.", ran_text(results, index)));
}

}  // namespace

std::string task_section(const Results& results, std::size_t index) {
  const Task& task = results.tasks[index];
  std::string out = fmt::format("<h2>{}</h2><p class=\"quiet\">{}</p>\n", escape_html(task.name),
                                escape_html(task.protocol));
  const Shape shape = shape_of(results, index);
  if (shape == Shape::kTable) return out + value_table(results, index);
  const std::vector<Curve> all = curves(results, index);
  if (shape == Shape::kGrid) out += grids(results, index, all);
  out += curve_figure(results, index, all) + curve_table(results, index, all);
  if (shape == Shape::kCurve) out += loss_by_position(results, index, all);
  return out;
}

std::string metrics_section(const Results& results) {
  std::string out;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (shape_of(results, task) == Shape::kTable) continue;  // its section has the table
    out += fmt::format("<h3>{}</h3>", escape_html(results.tasks[task].name)) +
           value_table(results, task);
  }
  return out.empty() ? out : "<h2>All metrics of every cell</h2>" + out;
}

}  // namespace yardstick::reports
