#include "tasks/downstream/metric_list.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"

namespace yardstick::tasks {
namespace {

const KnownMetric& find_metric(const Fields& fields, std::string_view key, const std::string& name,
                               std::span<const KnownMetric> known) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownMetric& metric) {
    return metric.written == name;
  });
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const KnownMetric& metric : known) names.emplace_back(metric.written);
  throw fields.error(key, fmt::format("this type of output has no metric '{}'{}; there are: {}",
                                      name, did_you_mean(name, names), fmt::join(names, ", ")));
}

const KnownMetric& read_entry(Fields& entry, std::span<const KnownMetric> known) {
  const KnownMetric& metric = find_metric(entry, "metric", entry.text("metric"), known);
  const std::optional<std::string> aggregation = entry.optional_text("aggregation");
  if (aggregation && *aggregation != metric.aggregation) {
    throw entry.error("aggregation", fmt::format("found '{}', expected '{}', which {} is made with",
                                                 *aggregation, metric.aggregation, metric.written));
  }
  // Says what the metric's definition says already, or is a mistake.
  const bool is_higher = metric.better == Task::Headline::Better::kHigher;
  if (entry.optional_flag("higher_is_better").value_or(is_higher) != is_higher) {
    throw entry.error("higher_is_better", fmt::format("of {} {} is better; remove the key",
                                                      metric.written, is_higher ? "more" : "less"));
  }
  entry.finish();
  return metric;
}

Task::Headline headline_of(const KnownMetric& metric) {
  return {.metric = std::string(metric.name), .better = metric.better};
}

}  // namespace

bool ChosenMetrics::has(std::string_view name) const {
  return headline.metric == name || std::find(names.begin(), names.end(), name) != names.end();
}

ChosenMetrics read_metric_list(Fields& fields, std::span<const KnownMetric> known) {
  ChosenMetrics chosen{.headline = headline_of(known.front())};
  for (const std::string& pointer : fields.elements("metric_list")) {
    Fields entry(fields.located(), pointer, "a metric of metric_list");
    const KnownMetric& metric = read_entry(entry, known);
    if (chosen.names.empty()) chosen.headline = headline_of(metric);
    chosen.names.emplace_back(metric.name);
  }
  if (const std::optional<std::string> headline = fields.optional_text("headline")) {
    chosen.headline = headline_of(find_metric(fields, "headline", *headline, known));
  }
  return chosen;
}

}  // namespace yardstick::tasks
