#include "tasks/downstream/choice_summary.hpp"

#include <array>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "tasks/downstream/choice_scoring.hpp"
#include "tasks/downstream/likelihood.hpp"
#include "tasks/metrics/interval.hpp"
#include "tasks/metrics/ratio.hpp"

namespace yardstick::tasks {
namespace {

using Better = Task::Headline::Better;

constexpr std::array<KnownMetric, 16> kKnown = {{
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
    {"gold_bits_per_byte", "gold_bits_per_byte", "bits_per_byte", Better::kLower},
}};

double total(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

MetricValue mean_metric(std::string name, std::span<const double> values) {
  MetricValue metric;
  const MeanEstimate mean = mean_with_error(values);
  metric.name = std::move(name);
  metric.value = mean.mean;
  metric.standard_error = mean.standard_error;
  metric.n = static_cast<std::int64_t>(values.size());
  return metric;
}

MetricValue plain_metric(std::string name, double value, std::size_t n) {
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = value;
  metric.n = static_cast<std::int64_t>(n);
  return metric;
}

// 2 TP / (2 TP + FP + FN): a ratio of sums over samples; 0 if the class is neither there nor
// predicted.
MetricValue f1_metric(std::string name, std::span<const SampleScore> scores, double positive,
                      std::uint64_t seed) {
  const std::vector<double> predictions = values_of(scores, "prediction");
  const std::vector<double> golds = values_of(scores, "gold");
  std::vector<double> tops;
  std::vector<double> bottoms;
  for (std::size_t i = 0; i < golds.size(); ++i) {
    const double hits = (golds[i] == positive ? 1 : 0) + (predictions[i] == positive ? 1 : 0);
    tops.push_back(hits == 2 ? 2 : 0);
    bottoms.push_back(hits);
  }
  if (total(bottoms) > 0) return ratio_metric(std::move(name), tops, bottoms, seed);
  return plain_metric(std::move(name), 0, golds.size());
}

void add_categories(std::span<const SampleScore> scores, std::vector<MetricValue>& metrics) {
  std::map<std::string, std::vector<double>> credits;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk || !score.details.contains("category")) continue;
    credits[score.details.at("category").get<std::string>()].push_back(score.values.at("acc"));
  }
  for (const auto& [category, values] : credits) {
    metrics.push_back(accuracy_metric("acc/" + category, values));
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
    if (!credits.empty()) metrics.push_back(accuracy_metric(std::string(name), credits));
  };
  for (const NamedNormalization& one : kNormalizations) add_accuracy(one.metric);
  for (const NamedNormalization& one : kPmiNormalizations) add_accuracy(one.metric);
  metrics.push_back(plain_metric("ties", total(values_of(scores, "tie")), nll.size()));
  if (const std::vector<double> margins = values_of(scores, "margin"); !margins.empty()) {
    metrics.push_back(mean_metric("margin", margins));
  }
  metrics.push_back(plain_metric(
      "gold_bits_per_byte", total(nll) / std::numbers::ln2 / total(values_of(scores, "gold_bytes")),
      nll.size()));
  if (chosen.has("exact_match")) add_accuracy("exact_match");
  if (chosen.has("brier_score")) {
    metrics.push_back(mean_metric("brier_score", values_of(scores, "brier_score")));
  }
  if (chosen.has("f1")) metrics.push_back(f1_metric("f1", scores, 1, seed));
  if (chosen.has("f1_index0")) metrics.push_back(f1_metric("f1_index0", scores, 0, seed));
  add_categories(scores, metrics);
  return metrics;
}

}  // namespace yardstick::tasks
