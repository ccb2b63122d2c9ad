#include "tasks/choice/scoring.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {
namespace {

std::vector<double> values_of(std::span<const SampleScore> scores, const std::string& name) {
  std::vector<double> out;
  for (const SampleScore& score : scores) {
    if (score.status == SampleStatus::kOk) out.push_back(score.values.at(name));
  }
  return out;
}

double total(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

MetricValue accuracy_metric(std::string name, std::span<const double> credits) {
  const auto n = static_cast<std::int64_t>(credits.size());
  const MeanEstimate mean = mean_with_error(credits);
  const Interval interval = wilson_interval(total(credits), n);
  return {.name = std::move(name),
          .value = mean.mean,
          .standard_error = mean.standard_error,
          .ci_low = interval.low,
          .ci_high = interval.high,
          .n = n};
}

MetricValue plain_metric(std::string name, double value, std::size_t n) {
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = value;
  metric.n = static_cast<std::int64_t>(n);
  return metric;
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

double normalized(const ChoiceScore& score, Normalization normalization) {
  switch (normalization) {
    case Normalization::kSum: return score.log_likelihood;
    case Normalization::kCharacter:
      return score.log_likelihood / static_cast<double>(score.characters);
    case Normalization::kByte: return score.log_likelihood / static_cast<double>(score.bytes);
    case Normalization::kToken: return score.log_likelihood / static_cast<double>(score.tokens);
  }
  check(false, "every normalization has a formula");
  return 0;
}

Verdict judge(std::span<const ChoiceScore> scores, std::int64_t gold, Normalization normalization) {
  double best = -std::numeric_limits<double>::infinity();
  for (const ChoiceScore& score : scores) best = std::max(best, normalized(score, normalization));
  Verdict verdict;
  for (const ChoiceScore& score : scores) {
    if (normalized(score, normalization) == best) ++verdict.best;
  }
  const ChoiceScore& right = scores[static_cast<std::size_t>(gold)];
  if (normalized(right, normalization) == best) {
    verdict.credit = 1.0 / static_cast<double>(verdict.best);
  }
  return verdict;
}

std::vector<MetricValue> summarize_choices(std::span<const SampleScore> scores) {
  std::vector<MetricValue> metrics;
  const std::vector<double> nll = values_of(scores, "gold_nll");
  if (nll.empty()) return metrics;
  for (const NamedNormalization& normalization : kNormalizations) {
    const std::string name(normalization.metric);
    metrics.push_back(accuracy_metric(name, values_of(scores, name)));
  }
  metrics.push_back(plain_metric("ties", total(values_of(scores, "tie")), nll.size()));
  const MeanEstimate margin = mean_with_error(values_of(scores, "margin"));
  metrics.push_back(plain_metric("margin", margin.mean, nll.size()));
  metrics.back().standard_error = margin.standard_error;
  metrics.push_back(plain_metric(
      "gold_bits_per_byte", total(nll) / std::numbers::ln2 / total(values_of(scores, "gold_bytes")),
      nll.size()));
  add_categories(scores, metrics);
  return metrics;
}

}  // namespace yardstick::tasks
