#include "tasks/downstream/choice_summary.hpp"

#include <array>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "tasks/downstream/choice_scoring.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/metrics/classification.hpp"
#include "tasks/metrics/interval.hpp"
#include "tasks/metrics/mean_metric.hpp"
#include "tasks/metrics/ratio.hpp"
#include "tasks/metrics/summarize.hpp"

namespace yardstick::tasks {
namespace {

using Better = Task::Headline::Better;

constexpr std::array<KnownMetric, 17> kKnown = {{
    {"acc", "acc", "mean"},
    {"acc_norm", "acc_char", "mean"},
    {"acc_char", "acc_char", "mean"},
    {"acc_bytes", "acc_byte", "mean"},
    {"acc_byte", "acc_byte", "mean"},
    {"acc_token", "acc_token", "mean"},
    {"acc_mutual_info", "acc_pmi", "mean"},
    {"acc_pmi", "acc_pmi", "mean"},
    {"acc_pmi_ratio", "acc_pmi_ratio", "mean"},
    {"exact_match", "exact_match", "mean"},
    {"f1", "f1", "f1"},
    {"f1_index0", "f1_index0", "f1"},
    {"mcc", "mcc", "matthews_corrcoef"},
    {"brier_score", "brier_score", "brier_score", Better::kLower},
    {"margin", "margin", "mean"},
    {"ties", "ties", "sum", Better::kLower},
    {"gold_bits_per_byte", "gold_bits_per_byte", "bits_per_byte", Better::kLower},
}};

double total(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// The samples of a cell are questions, each a document of its own.
MetricValue bootstrapped_mean(const Named& metric, std::span<const double> values,
                              std::uint64_t seed) {
  std::vector<Observation> observations;
  for (const double value : values) observations.push_back({.document = "", .numbers = {value}});
  return summarize_mean(metric, observations, seed);
}

MetricValue plain_metric(const Named& named, double value, std::size_t n) {
  MetricValue metric;
  metric.name = named.name;
  metric.meaning = named.meaning;
  metric.value = value;
  metric.n = static_cast<std::int64_t>(n);
  return metric;
}

// A statistic of right and predicted classes, with a bootstrap interval over the samples.
MetricValue class_metric(const Named& named, std::span<const SampleScore> scores,
                         const std::function<double(std::span<const Classified>)>& statistic,
                         std::uint64_t seed) {
  const std::vector<double> golds = values_of(scores, "gold");
  const std::vector<double> predictions = values_of(scores, "prediction");
  std::vector<Classified> items;
  for (std::size_t i = 0; i < golds.size(); ++i) {
    items.push_back({.gold = static_cast<std::int64_t>(golds[i]),
                     .predicted = static_cast<std::int64_t>(predictions[i])});
  }
  MetricValue metric = plain_metric(named, statistic(items), items.size());
  const auto of_units = [&](std::span<const std::size_t> units) {
    std::vector<Classified> drawn;
    for (const std::size_t i : units) drawn.push_back(items[i]);
    return statistic(drawn);
  };
  if (const auto spread = bootstrap(items.size(), of_units, seed)) {
    metric.standard_error = spread->standard_error;
    metric.ci_low = spread->interval.low;
    metric.ci_high = spread->interval.high;
  }
  return metric;
}

void add_class_metrics(std::span<const SampleScore> scores, const ChosenMetrics& chosen,
                       std::uint64_t seed, std::vector<MetricValue>& metrics) {
  for (const auto& [name, positive] : {std::pair("f1", 1), std::pair("f1_index0", 0)}) {
    if (!chosen.has(name)) continue;
    const auto f1 = [positive = positive](std::span<const Classified> items) {
      return f1_of_class(items, positive);
    };
    metrics.push_back(class_metric({name, kShareMeaning}, scores, f1, seed));
  }
  if (chosen.has("mcc")) {
    metrics.push_back(class_metric({"mcc", {.better = Meaning::Better::kHigher}}, scores,
                                   matthews_correlation, seed));
  }
}

void add_categories(std::span<const SampleScore> scores, std::vector<MetricValue>& metrics) {
  std::map<std::string, std::vector<double>> credits;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk || !score.details.contains("category")) continue;
    credits[score.details.at("category").get<std::string>()].push_back(score.values.at("acc"));
  }
  for (const auto& [category, values] : credits) {
    metrics.push_back(share_metric("acc/" + category, values));
  }
}

}  // namespace

std::span<const KnownMetric> choice_metrics() { return kKnown; }

std::vector<MetricValue> summarize_choices(std::span<const SampleScore> scores,
                                           const ChosenMetrics& chosen, std::uint64_t seed) {
  std::vector<MetricValue> metrics;
  const std::vector<double> nll = values_of(scores, "gold_nll");
  if (nll.empty()) return metrics;
  const auto add_accuracy = [&](std::string_view name) {
    const std::vector<double> credits = values_of(scores, std::string(name));
    if (!credits.empty()) metrics.push_back(share_metric(std::string(name), credits));
  };
  for (const NamedNormalization& one : kNormalizations) add_accuracy(one.metric);
  for (const NamedNormalization& one : kPmiNormalizations) add_accuracy(one.metric);
  metrics.push_back(
      plain_metric({"ties", {.unit = Meaning::Unit::kSamples, .better = Meaning::Better::kLower}},
                   total(values_of(scores, "tie")), nll.size()));
  if (const std::vector<double> margins = values_of(scores, "margin"); !margins.empty()) {
    metrics.push_back(bootstrapped_mean(
        {"margin", {.unit = Meaning::Unit::kNats, .better = Meaning::Better::kHigher}}, margins,
        seed));
  }
  std::vector<double> bits = nll;
  for (double& value : bits) value /= std::numbers::ln2;
  metrics.push_back(
      ratio_metric("gold_bits_per_byte", bits, values_of(scores, "gold_bytes"), seed));
  metrics.back().meaning = kBitsMeaning;
  if (chosen.has("exact_match")) add_accuracy("exact_match");
  if (chosen.has("brier_score")) {
    metrics.push_back(bootstrapped_mean({"brier_score", {.better = Meaning::Better::kLower}},
                                        values_of(scores, "brier_score"), seed));
  }
  add_class_metrics(scores, chosen, seed, metrics);
  add_categories(scores, metrics);
  return metrics;
}

}  // namespace yardstick::tasks
