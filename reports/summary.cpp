#include "reports/summary.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "reports/format.hpp"
#include "tasks/metrics/interval.hpp"

namespace yardstick::reports {
namespace {

using tasks::Meaning;

// Sums a grid's depths of one length: k successes of n samples.
CurvePoint pool(const Results& results, const Place& place) {
  const Task& definition = results.tasks[place.task];
  double successes = 0;
  std::int64_t n = 0;
  std::int64_t missing = 0;
  CurvePoint point{.length = place.length.value_or(0),
                   .metric = {.name = definition.headline, .meaning = definition.meaning}};
  for (const Cell& cell : results.cells) {
    if (cell.model != place.model || cell.task != place.task || cell.length != place.length ||
        cell.variant != place.variant) {
      continue;
    }
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

CurvePoint single(const Results& results, const Place& place) {
  const Task& definition = results.tasks[place.task];
  CurvePoint point{.length = place.length.value_or(0),
                   .metric = {.name = definition.headline, .meaning = definition.meaning}};
  const Cell* cell = find_cell(results, place);
  if (cell == nullptr) {
    point.note = "not asked for";
    return point;
  }
  const Metric* metric = cell->find(definition.headline);
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

bool has_interval(const Metric& metric) { return metric.ci_low && metric.ci_high; }

bool overlap(const Metric& a, const Metric& b) {
  return *a.ci_low <= *b.ci_high && *b.ci_low <= *a.ci_high;
}

struct Ranked {
  const Curve* curve;
  const CurvePoint* point;
};

// The curves of one variant that have a value at `length`, the better ones first.
std::vector<Ranked> rank(const Task& task, const std::vector<Curve>& all,
                         const std::string& variant, std::int64_t length) {
  std::vector<Ranked> ranked;
  for (const Curve& curve : all) {
    if (curve.variant != variant) continue;
    const CurvePoint* point = point_at(curve, length);
    if (point != nullptr && std::isfinite(*point->metric.value)) ranked.push_back({&curve, point});
  }
  const bool is_lower_better = task.meaning.better == Meaning::Better::kLower;
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Ranked& a, const Ranked& b) {
    const double left = *a.point->metric.value;
    const double right = *b.point->metric.value;
    return is_lower_better ? left < right : left > right;
  });
  return ranked;
}

// "at 2k tokens, tiny-alibi has the best perplexity (4.3), before tiny-fope (12.5)". Nobody is best
// among zeros, nor where an interval reaches into another.
std::string best_sentence(const Results& results, const Task& task,
                          const std::vector<Ranked>& ranked) {
  if (ranked.size() < 2) return "";
  const auto shown = [&](const Ranked& one) {
    return fmt::format("{} ({})", results.models[one.curve->model].name,
                       value_text(task.meaning.unit, one.point->metric.value));
  };
  const Metric& first = ranked[0].point->metric;
  const std::string at = fmt::format("At {} tokens, ", format_length(ranked[0].point->length));
  if (task.meaning.better == Meaning::Better::kHigher && *first.value <= 0) {
    return fmt::format("{}no model scores above {}.", at, value_text(task.meaning.unit, 0.0));
  }
  std::vector<std::string> together{shown(ranked[0])};
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    const Metric& other = ranked[i].point->metric;
    if (!has_interval(first) || !has_interval(other)) {
      return fmt::format("{}{} comes before {}, without intervals to tell them apart.", at,
                         shown(ranked[0]), shown(ranked[1]));
    }
    if (overlap(first, other)) together.push_back(shown(ranked[i]));
  }
  if (together.size() > 1) {
    return fmt::format("{}the 95 % intervals of {} overlap.", at, fmt::join(together, ", "));
  }
  return fmt::format("{}{} has the best {} ({}), before {}.", at,
                     results.models[ranked[0].curve->model].name, metric_title(task.headline),
                     value_text(task.meaning.unit, first.value), shown(ranked[1]));
}

std::string change_sentence(const Results& results, const Task& task, const Curve& curve) {
  const Model& model = results.models[curve.model];
  if (!model.training_length || curve.points.empty()) return "";
  const CurvePoint* base = point_at(curve, *model.training_length);
  const CurvePoint* far = point_at(curve, curve.points.back().length);
  if (base == nullptr || far == nullptr || far->length <= base->length) return "";
  if (*base->metric.value == 0 && *far->metric.value == 0) return "";
  return fmt::format("{} goes from {} at its training length of {} to {} at {}.", model.name,
                     value_text(task.meaning.unit, base->metric.value), format_length(base->length),
                     value_text(task.meaning.unit, far->metric.value),
                     length_ratio_text(far->length, model.training_length));
}

}  // namespace

Shape shape_of(const Results& results, std::size_t task) {
  const bool is_share = results.tasks[task].meaning.unit == Meaning::Unit::kShare;
  Shape shape = Shape::kTable;
  for (const Cell& cell : results.cells) {
    if (cell.task != task) continue;
    if (cell.length && cell.depth) return is_share ? Shape::kGrid : Shape::kTable;
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

const Cell* find_cell(const Results& results, const Place& place) {
  for (const Cell& cell : results.cells) {
    if (cell.model == place.model && cell.task == place.task && cell.length == place.length &&
        cell.depth == place.depth && cell.variant == place.variant) {
      return &cell;
    }
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
  std::set<std::string_view> seen;
  for (const Cell& cell : results.cells) {
    if (cell.task != task) continue;
    for (const Metric& metric : cell.metrics) {
      if (seen.insert(metric.name).second) names.push_back(metric.name);
    }
  }
  return names;
}

std::vector<Curve> curves(const Results& results, std::size_t task) {
  const Shape shape = shape_of(results, task);
  const std::vector<std::int64_t> lengths = lengths_of(results, task);
  std::vector<std::vector<std::string>> variants(results.models.size());
  for (const Cell& cell : results.cells) {
    if (cell.task != task || !cell.length) continue;
    std::vector<std::string>& known = variants[cell.model];
    if (std::find(known.begin(), known.end(), cell.variant) == known.end())
      known.push_back(cell.variant);
  }
  std::vector<Curve> all;
  for (std::size_t model = 0; model < results.models.size(); ++model) {
    for (const std::string& variant : variants[model]) {
      Curve curve{.model = model, .variant = variant};
      for (const std::int64_t length : lengths) {
        const Place place{
            .model = model, .task = task, .length = length, .depth = {}, .variant = variant};
        curve.points.push_back(shape == Shape::kGrid ? pool(results, place)
                                                     : single(results, place));
      }
      all.push_back(std::move(curve));
    }
  }
  return all;
}

std::string common_variant(const std::vector<Curve>& all) {
  if (all.empty()) return "";
  const bool is_common = std::all_of(all.begin(), all.end(), [&](const Curve& curve) {
    return curve.variant == all.front().variant;
  });
  return is_common ? all.front().variant : "";
}

std::string curve_name(const Results& results, const std::vector<Curve>& all, const Curve& curve) {
  const std::string& model = results.models[curve.model].name;
  if (curve.variant.empty() || curve.variant == common_variant(all)) return model;
  return fmt::format("{} ({})", model, curve.variant);
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

namespace {

/// The least and the greatest of some counts.
struct Extent {
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  void add(std::int64_t count) {
    if (greatest == 0 || count < least) least = count;
    greatest = std::max(greatest, count);
  }
  [[nodiscard]] std::string text() const {
    return least == greatest ? fmt::format("{}", least) : fmt::format("{} to {}", least, greatest);
  }
  [[nodiscard]] std::string text(std::string_view one) const {
    return fmt::format("{} {}{}", text(), one, least == 1 && greatest == 1 ? "" : "s");
  }
};

}  // namespace

std::string ran_text(const Results& results, std::size_t task) {
  Extent n;
  Extent samples;
  Extent documents;
  bool is_one_a_document = true;
  bool is_n_of_documents = true;
  for (const Cell& cell : results.cells) {
    const Metric* const metric = cell.find(results.tasks[task].headline);
    if (cell.task != task || metric == nullptr || !metric->value) continue;
    n.add(metric->n);
    samples.add(cell.samples.ok);
    documents.add(cell.samples.documents);
    is_one_a_document = is_one_a_document && cell.samples.documents == cell.samples.ok;
    is_n_of_documents = is_n_of_documents && cell.samples.documents == metric->n;
  }
  if (n.greatest == 0) return "no cell has a value";
  if (is_one_a_document && is_n_of_documents) return fmt::format("n = {} a cell", n.text("sample"));
  if (is_n_of_documents) {
    return fmt::format("n = {} a cell ({})", n.text("document"), samples.text("sample"));
  }
  return fmt::format("n = {} a cell ({} of {})", n.text(), samples.text("sample"),
                     documents.text("document"));
}

std::vector<std::string> findings(const Results& results) {
  std::vector<std::string> sentences;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (shape_of(results, task) == Shape::kTable) continue;
    const Task& definition = results.tasks[task];
    const std::vector<Curve> all = curves(results, task);
    const std::vector<std::int64_t> lengths = lengths_of(results, task);
    std::string sentence;
    const auto add = [&](const std::string& part) {
      if (!part.empty()) sentence += (sentence.empty() ? "" : " ") + part;
    };
    std::set<std::string> variants;  // numbers of one compare with each other, and with no others
    for (const Curve& curve : all) {
      if (!variants.insert(curve.variant).second) continue;
      add(best_sentence(results, definition, rank(definition, all, curve.variant, lengths.back())));
    }
    for (const Curve& curve : all) add(change_sentence(results, definition, curve));
    if (!sentence.empty()) sentences.push_back(definition.name + ": " + sentence);
  }
  return sentences;
}

}  // namespace yardstick::reports
