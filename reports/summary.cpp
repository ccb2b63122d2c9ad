#include "reports/summary.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/text.hpp"
#include "reports/format.hpp"
#include "tasks/metrics/interval.hpp"

namespace yardstick::reports {
namespace {

// Sums a grid's depths of one length: k successes of n samples.
CurvePoint pool(const Results& results, std::size_t model, std::size_t task, std::int64_t length) {
  const Task& definition = results.tasks[task];
  double successes = 0;
  std::int64_t n = 0;
  std::int64_t missing = 0;
  CurvePoint point{.length = length, .metric = {.name = definition.headline}};
  for (const Cell& cell : results.cells) {
    if (cell.model != model || cell.task != task || cell.length != length) continue;
    const Metric* metric = cell.find(definition.headline);
    if (metric == nullptr || !metric->value) {
      ++missing;
      point.note = cell.message.empty() ? cell.status : cell.message;
      continue;
    }
    successes += *metric->value * static_cast<double>(metric->n);
    n += metric->n;
  }
  point.cells_missing = missing;
  point.metric.n = n;
  if (n == 0) return point;
  const tasks::Interval interval = tasks::wilson_interval(successes, n);
  point.metric.value = successes / static_cast<double>(n);
  point.metric.ci_low = interval.low;
  point.metric.ci_high = interval.high;
  return point;
}

CurvePoint single(const Results& results, std::size_t model, std::size_t task,
                  std::int64_t length) {
  const std::string& headline = results.tasks[task].headline;
  CurvePoint point{.length = length, .metric = {.name = headline}};
  const Cell* cell = find_cell(results, model, task, length, std::nullopt);
  if (cell == nullptr) {
    point.note = "not asked for";
    return point;
  }
  const Metric* metric = cell->find(headline);
  if (metric != nullptr) point.metric = *metric;
  if (metric == nullptr || !metric->value)
    point.note = cell->message.empty() ? cell->status : cell->message;
  return point;
}

const CurvePoint* point_at(const Curve& curve, std::int64_t length) {
  for (const CurvePoint& point : curve.points) {
    if (point.length == length && point.metric.value) return &point;
  }
  return nullptr;
}

bool overlap(const Metric& a, const Metric& b) {
  return a.ci_low && a.ci_high && b.ci_low && b.ci_high && *a.ci_low <= *b.ci_high &&
         *b.ci_low <= *a.ci_high;
}

// "best at 2k: tiny-alibi (4.3); next tiny-fope (12.5)".
std::string best_sentence(const Results& results, const Task& task, const std::vector<Curve>& all,
                          std::int64_t length) {
  using Ranked = std::pair<const Curve*, const CurvePoint*>;
  std::vector<Ranked> ranked;
  for (const Curve& curve : all) {
    if (const CurvePoint* point = point_at(curve, length)) ranked.emplace_back(&curve, point);
  }
  if (ranked.size() < 2) return "";
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Ranked& a, const Ranked& b) {
    return task.better == Task::Better::kLower ? *a.second->metric.value < *b.second->metric.value
                                               : *a.second->metric.value > *b.second->metric.value;
  });
  const auto name = [&](std::size_t i) { return results.models[ranked[i].first->model].name; };
  const auto value = [&](std::size_t i) {
    return value_text(task.headline, ranked[i].second->metric.value);
  };
  std::string sentence = fmt::format("At {} tokens, {} has the best {} ({})", format_length(length),
                                     name(0), metric_title(task.headline), value(0));
  sentence += overlap(ranked[0].second->metric, ranked[1].second->metric)
                  ? fmt::format("; its interval overlaps that of {} ({}).", name(1), value(1))
                  : fmt::format(", before {} ({}).", name(1), value(1));
  return sentence;
}

std::string change_sentence(const Results& results, const Task& task, const Curve& curve) {
  const Model& model = results.models[curve.model];
  if (!model.training_length || curve.points.empty()) return "";
  const CurvePoint* base = point_at(curve, *model.training_length);
  const CurvePoint* far = point_at(curve, curve.points.back().length);
  if (base == nullptr || far == nullptr || far->length <= base->length) return "";
  return fmt::format("{} goes from {} at its training length of {} to {} at {}.", model.name,
                     value_text(task.headline, base->metric.value), format_length(base->length),
                     value_text(task.headline, far->metric.value),
                     length_ratio_text(far->length, model.training_length));
}

}  // namespace

Shape shape_of(const Results& results, std::size_t task) {
  Shape shape = Shape::kTable;
  for (const Cell& cell : results.cells) {
    if (cell.task != task) continue;
    if (cell.length && cell.depth) return Shape::kGrid;
    if (cell.length) shape = Shape::kCurve;
  }
  return shape;
}

std::vector<std::int64_t> lengths_of(const Results& results, std::size_t task) {
  std::set<std::int64_t> lengths;
  for (const Cell& cell : results.cells) {
    if (cell.task == task && cell.length) lengths.insert(*cell.length);
  }
  return {lengths.begin(), lengths.end()};
}

std::vector<double> depths_of(const Results& results, std::size_t task) {
  std::set<double> depths;
  for (const Cell& cell : results.cells) {
    if (cell.task == task && cell.depth) depths.insert(*cell.depth);
  }
  return {depths.begin(), depths.end()};
}

const Cell* find_cell(const Results& results, std::size_t model, std::size_t task,
                      std::optional<std::int64_t> length, std::optional<double> depth) {
  for (const Cell& cell : results.cells) {
    if (cell.model == model && cell.task == task && cell.length == length && cell.depth == depth)
      return &cell;
  }
  return nullptr;
}

std::string axes_text(const Cell& cell) {
  std::string text = cell.length ? format_length(*cell.length) : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (cell.depth) add(fmt::format("depth {:.4g}", *cell.depth));
  if (!cell.variant.empty()) add(cell.variant);
  return text;
}

std::vector<std::string> metric_names(const Results& results, std::size_t task) {
  std::vector<std::string> names;
  for (const Cell& cell : results.cells) {
    if (cell.task != task || !names.empty()) continue;
    for (const Metric& metric : cell.metrics) names.push_back(metric.name);
  }
  return names;
}

std::vector<Curve> curves(const Results& results, std::size_t task) {
  const Shape shape = shape_of(results, task);
  const std::vector<std::int64_t> lengths = lengths_of(results, task);
  std::vector<Curve> all;
  for (std::size_t model = 0; model < results.models.size(); ++model) {
    Curve curve{.model = model};
    for (const std::int64_t length : lengths) {
      curve.points.push_back(shape == Shape::kGrid ? pool(results, model, task, length)
                                                   : single(results, model, task, length));
    }
    all.push_back(std::move(curve));
  }
  return all;
}

std::vector<std::int64_t> training_lengths(const Results& results) {
  std::set<std::int64_t> lengths;
  for (const Model& model : results.models) {
    if (model.training_length) lengths.insert(*model.training_length);
  }
  return {lengths.begin(), lengths.end()};
}

std::string metric_title(std::string_view metric) {
  std::string title(metric);
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::vector<std::string> findings(const Results& results) {
  std::vector<std::string> sentences;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (shape_of(results, task) == Shape::kTable) continue;
    const Task& definition = results.tasks[task];
    const std::vector<Curve> all = curves(results, task);
    const std::vector<std::int64_t> lengths = lengths_of(results, task);
    std::string sentence = best_sentence(results, definition, all, lengths.back());
    for (const Curve& curve : all) {
      const std::string change = change_sentence(results, definition, curve);
      if (!change.empty()) sentence += (sentence.empty() ? "" : " ") + change;
    }
    if (!sentence.empty()) sentences.push_back(definition.name + ": " + sentence);
  }
  return sentences;
}

}  // namespace yardstick::reports
