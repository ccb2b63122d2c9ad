#include "reports/html_sections.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "reports/effective_length.hpp"
#include "reports/figures/heatmap.hpp"
#include "reports/figures/line_chart.hpp"
#include "reports/format.hpp"
#include "reports/summary.hpp"

namespace yardstick::reports {
namespace {

std::string swatch(std::size_t model) {
  return fmt::format("<span class=\"swatch s{}\"></span>", model % 8);
}

std::string word(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "unknown";
}

/// "yarn (beta_fast 32.0, factor 4.0, ...)".
std::string scaling_text(const nlohmann::json& scaling) {
  std::string parameters;
  for (const auto& [key, value] : scaling.items()) {
    if (key == "rope_type") continue;
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", key, value.dump());
  }
  return fmt::format("{} ({})", word(scaling, "rope_type"), parameters);
}

/// What of a position plan tells models apart: "theta 10000, no frequency below 0.0491".
std::string plan_text(const nlohmann::json& plan) {
  std::vector<std::string> parts;
  const auto number = [&](const char* key) {
    const auto found = plan.find(key);
    return found != plan.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  if (const double theta = number("rope_theta"); theta != 0.0)
    parts.push_back(fmt::format("theta {}", theta));
  if (const auto scaling = plan.find("scaling");
      scaling != plan.end() && scaling->is_object() && word(*scaling, "rope_type") != "default")
    parts.push_back("scaling " + scaling_text(*scaling));
  if (const double floor = number("floor_frequency"); floor != 0.0)
    parts.push_back(fmt::format("no frequency below {:.3g} radians a token", floor));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string model_cell(const Results& results, std::size_t model) {
  return fmt::format("<th scope=\"row\">{}{}</th>", swatch(model),
                     escape_html(results.models[model].name));
}

std::string table(std::string_view head, std::string_view rows, std::string_view caption) {
  return fmt::format(
      "<div class=\"scroll\"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>{}\n",
      head, rows, caption.empty() ? "" : fmt::format("<p class=\"quiet\">{}</p>", caption));
}

std::string figure(std::string_view css_class, std::string_view svg, std::string_view caption) {
  return fmt::format(
      "<figure><div class=\"scroll\"><div "
      "class=\"{}\">{}</div></div><figcaption>{}</figcaption></figure>\n",
      css_class, svg, caption);
}

std::string value_cell(const Metric& metric, const std::string& note, std::string_view css_class) {
  const std::string value = value_text(metric.name, metric.value);
  if (value.empty()) {
    return fmt::format("<td class=\"num missing {}\" title=\"{}\">n/a</td>", css_class,
                       escape_html(note));
  }
  std::string interval;
  if (metric.ci_low && metric.ci_high) {
    interval = fmt::format("<small>{} to {}</small>", value_text(metric.name, metric.ci_low),
                           value_text(metric.name, metric.ci_high));
  }
  return fmt::format("<td class=\"num {}\" title=\"n = {}\">{}{}</td>", css_class, metric.n, value,
                     interval);
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
  if (is_logarithmic(task.headline)) chart.y_scale = Scale::kLogarithmic;
  if (is_share(task.headline)) {
    chart.y_range = Axis::Range{0, 1};
    chart.y_format = LineChart::YFormat::kPercent;
  }
  bool off_scale = false;
  for (const Curve& curve : all) {
    const Model& model = results.models[curve.model];
    Series series{.name = model.name, .colour = curve.model};
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
           .hover = fmt::format("{} at {}: {}, n = {}", model.name,
                                length_ratio_text(point.length, model.training_length),
                                interval_text(metric), metric.n)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  std::string caption =
      fmt::format("{}. Bands: 95 % intervals.{}", escape_html(task.protocol),
                  is_logarithmic(task.headline) ? " Both axes are logarithmic." : "");
  if (off_scale) caption += " Values above 1e30 are not drawn; the table has them.";
  return figure("chart", draw(chart), caption);
}

std::string curve_table(const Results& results, std::size_t index, const std::vector<Curve>& all) {
  const Task& task = results.tasks[index];
  std::string head = "<th>model</th>";
  for (const std::int64_t length : lengths_of(results, index)) {
    head += fmt::format("<th class=\"num\">{}</th>", format_length(length));
  }
  head += "<th class=\"num\">effective length</th>";
  std::string rows;
  for (const Curve& curve : all) {
    const Model& model = results.models[curve.model];
    rows += "<tr>" + model_cell(results, curve.model);
    for (const CurvePoint& point : curve.points) {
      rows += value_cell(point.metric, point.note,
                         model.training_length == point.length ? "trained" : "");
    }
    const auto effective = effective_length(task, model, curve);
    rows += fmt::format("<td class=\"num\">{}</td></tr>",
                        effective ? escape_html(to_text(*effective, curve)) : "n/a");
  }
  const std::string caption = fmt::format(
      "{} with 95 % intervals{}; n on hover; shaded: the training length. Effective length: {}.",
      escape_html(metric_title(task.headline)),
      shape_of(results, index) == Shape::kGrid ? ", summed over depths (Wilson)" : "",
      escape_html(effective_length_rule(task)));
  return table(head, rows, caption);
}

HeatCell heat_cell(const Model& model, const Cell* cell, std::string_view headline) {
  if (cell == nullptr) return {.note = "", .hover = "not asked for"};
  const std::string place =
      fmt::format("{}, {} tokens, depth {:.0f} %", model.name,
                  length_ratio_text(cell->length.value_or(0), model.training_length),
                  100 * cell->depth.value_or(0));
  const Metric* metric = cell->find(headline);
  if (metric == nullptr || !metric->value) {
    return {.note = cell->status == "failed" ? "failed" : "n/a",
            .hover = place + ": " + cell->status + " " + cell->message};
  }
  const auto hits = std::llround(*metric->value * static_cast<double>(metric->n));
  return {.share = metric->value,
          .n = metric->n,
          .note = "",
          .hover =
              fmt::format("{}: {}/{} correct, {}", place, hits, metric->n, interval_text(*metric))};
}

std::string grids(const Results& results, std::size_t index) {
  const Task& task = results.tasks[index];
  std::string out = "<div class=\"grids\">";
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Model& model = results.models[m];
    Heatmap map{.title = fmt::format("{}: {} by depth and length", model.name, task.headline),
                .lengths = lengths_of(results, index),
                .depths = depths_of(results, index),
                .training_length = model.training_length};
    for (const double depth : map.depths) {
      map.rows.emplace_back();
      for (const std::int64_t length : map.lengths) {
        map.rows.back().push_back(
            heat_cell(model, find_cell(results, m, index, length, depth), task.headline));
      }
    }
    const double width = std::max(62 + 54 * static_cast<double>(map.lengths.size()), 200.0);
    out += fmt::format("<figure style=\"width:{:.0f}px;max-width:100%\"><h3>{}{}</h3>{}</figure>",
                       width, swatch(m), escape_html(model.name), draw(map));
  }
  return out +
         "</div><p class=\"quiet\">Per cent correct by needle depth (rows, 0 % = start) and length "
         "(columns); the "
         "colour scale is fixed from 0 to 100; hatched cells have fewer than 5 samples; dashed "
         "cells have no "
         "result; the dashed line marks the training length.</p>\n";
}

std::string loss_by_position(const Results& results, std::size_t index) {
  const std::vector<std::int64_t> lengths = lengths_of(results, index);
  if (lengths.empty()) return "";
  LineChart chart = base_chart(results, "loss by position");
  chart.x_label = "token index in the window (bucket's first)";
  chart.y_label = "mean loss (nats)";
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Cell* cell = find_cell(results, m, index, lengths.back(), std::nullopt);
    if (cell == nullptr || cell->position_losses.empty()) continue;
    Series series{.name = results.models[m].name, .colour = m};
    for (const PositionLoss& loss : cell->position_losses) {
      if (loss.count == 0 || !std::isfinite(loss.sum_nll)) continue;
      const double mean = loss.sum_nll / static_cast<double>(loss.count);
      series.points.push_back(
          {.x = static_cast<double>(std::max<std::int64_t>(loss.first, 1)),
           .y = mean,
           .low = std::nullopt,
           .high = std::nullopt,
           .hover = fmt::format("{}, indices {} to {}: {:.3f} nats, {} tokens",
                                results.models[m].name, loss.first, loss.last, mean, loss.count)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const bool is_curve = std::ranges::any_of(
      chart.series, [](const Series& series) { return series.points.size() > 1; });
  if (!is_curve) return "";
  return "<h3>Where the loss is</h3>" +
         figure("chart", draw(chart),
                fmt::format(
                    "Mean loss by token index inside the longest windows ({} tokens), in buckets.",
                    format_length(lengths.back())));
}

/// Every metric of every cell of a task.
std::string value_table(const Results& results, std::size_t index) {
  const std::vector<std::string> names = metric_names(results, index);
  const bool has_axes = std::ranges::any_of(results.cells, [&](const Cell& cell) {
    return cell.task == index && !axes_text(cell).empty();
  });
  std::string head = "<th>model</th>";
  if (has_axes) head += "<th>cell</th>";
  for (const std::string& name : names)
    head += fmt::format("<th class=\"num\">{}</th>", escape_html(name));
  head += "<th class=\"num\">n</th>";
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.task != index) continue;
    rows += "<tr>" + model_cell(results, cell.model);
    if (has_axes) rows += "<td>" + escape_html(axes_text(cell)) + "</td>";
    for (const std::string& name : names) {
      const Metric* metric = cell.find(name);
      rows += value_cell(metric == nullptr ? Metric{.name = name} : *metric, cell.message, "");
    }
    rows += fmt::format("<td class=\"num\">{}</td></tr>", cell.samples.ok);
  }
  return table(head, rows, "Small: 95 % intervals.");
}

}  // namespace

std::string findings_section(const Results& results) {
  const std::vector<std::string> sentences = findings(results);
  if (sentences.empty()) return "";
  std::string items;
  for (const std::string& sentence : sentences) items += "<li>" + escape_html(sentence) + "</li>";
  return "<ul class=\"findings\">" + items + "</ul>\n";
}

std::string models_section(const Results& results) {
  std::string rows;
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Model& model = results.models[m];
    rows += "<tr>" + model_cell(results, m) +
            fmt::format(
                "<td>{}</td><td class=\"num\">{}</td><td "
                "class=\"num\">{}</td><td>{}</td><td>{}</td></tr>",
                escape_html(model.encoding), count_text(model.parameters),
                model.training_length ? format_length(*model.training_length) : "unknown",
                escape_html(model.weight_dtype), escape_html(plan_text(model.position_plan)));
  }
  return "<h2>Models</h2>" +
         table(
             "<th>model</th><th>encoding</th><th class=\"num\">parameters</th>"
             "<th class=\"num\">trained at</th><th>weights</th><th>position plan</th>",
             rows, "");
}

std::string task_section(const Results& results, std::size_t index) {
  const Task& task = results.tasks[index];
  std::string out = fmt::format("<h2>{}</h2><p class=\"quiet\">{}</p>\n", escape_html(task.name),
                                escape_html(task.protocol));
  const Shape shape = shape_of(results, index);
  if (shape == Shape::kTable) return out + value_table(results, index);
  const std::vector<Curve> all = curves(results, index);
  if (shape == Shape::kGrid) out += grids(results, index);
  out += curve_figure(results, index, all) + curve_table(results, index, all);
  if (shape == Shape::kCurve) out += loss_by_position(results, index);
  return out + "<details><summary>All metrics of every cell</summary>" +
         value_table(results, index) + "</details>";
}

std::string unfinished_section(const Results& results) {
  std::string rows;
  for (const Cell& cell : results.cells) {
    if (cell.status == "ok") continue;
    rows +=
        "<tr>" + model_cell(results, cell.model) +
        fmt::format(
            "<td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"{}\">{}</td>"
            "<td>{}</td></tr>",
            escape_html(results.tasks[cell.task].name),
            cell.length ? format_length(*cell.length) : "",
            cell.depth ? fmt::format("{:.0f} %", 100 * *cell.depth) : "",
            cell.status == "failed" ? "bad" : "", escape_html(cell.status),
            escape_html(cell.message));
  }
  if (rows.empty()) return "";
  return "<h2>Cells without a result</h2>" +
         table(
             "<th>model</th><th>task</th><th class=\"num\">length</th><th "
             "class=\"num\">depth</th><th>status</th>"
             "<th>reason</th>",
             rows, "Failed and skipped cells count in no mean and appear in no figure as 0.");
}

std::string health_section(const Results& results) {
  std::string rows;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    SampleCounts total;
    std::int64_t tokens = 0;
    double seconds = 0;
    for (const Cell& cell : results.cells) {
      if (cell.task != task) continue;
      total.ok += cell.samples.ok;
      total.nonfinite += cell.samples.nonfinite;
      total.skipped += cell.samples.skipped;
      tokens += cell.tokens;
      seconds += cell.seconds;
    }
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num{}\">{}</td>"
        "<td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{:.1f}</td></tr>",
        escape_html(results.tasks[task].name), total.ok, total.nonfinite > 0 ? " bad" : "",
        total.nonfinite, total.skipped, count_text(tokens), seconds);
  }
  return "<h2>Data health</h2>" +
         table(
             "<th>task</th><th class=\"num\">scored</th><th class=\"num\">non-finite</th>"
             "<th class=\"num\">skipped</th><th class=\"num\">tokens fed</th>"
             "<th class=\"num\">seconds</th>",
             rows, "Samples over all models. Nothing is truncated.");
}

std::string provenance_section(const Results& results) {
  std::string out = "<h2>Made from</h2>";
  std::string rows;
  for (const Run& run : results.runs) {
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
        escape_html(run.started_at),
        run.finished_at.empty() ? "did not finish" : escape_html(run.finished_at),
        escape_html(run.command), escape_html(run.version), escape_html(run.backend),
        escape_html(run.host));
  }
  out += table(
      "<th>started</th><th>finished</th><th>command</th><th>version</th><th>backend</th><th>host</"
      "th>",
      rows, "");
  std::string prints;
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const Model& model = results.models[m];
    prints +=
        "<tr>" + model_cell(results, m) +
        fmt::format("<td class=\"mono\">{}</td><td>{}</td></tr>", escape_html(model.fingerprint),
                    escape_html(model.tokenizer + "; BOS: " + model.bos));
  }
  for (const Task& task : results.tasks) {
    prints += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"mono\">{}</td><td class=\"mono\">{}</td></tr>",
        escape_html(task.name), escape_html(task.fingerprint), escape_html(task.definition.dump()));
  }
  out += table("<th>name</th><th>fingerprint</th><th>details</th>", prints,
               fmt::format("Database: {}.", escape_html(results.database.string())));
  return out;
}

}  // namespace yardstick::reports
