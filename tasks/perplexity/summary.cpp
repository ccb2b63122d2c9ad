#include "tasks/perplexity/summary.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {
namespace {

// Sums of one resampling unit: a document or a window.
struct Units {
  std::vector<double> nll;
  std::vector<double> tokens;
  std::vector<double> bytes;
};

double value_or_zero(const SampleScore& score, const char* name) {
  const auto found = score.values.find(name);
  return found == score.values.end() ? 0.0 : found->second;
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Units collect_units(std::span<const SampleScore> scores, bool by_document) {
  Units units;
  std::map<std::string, std::size_t> unit_of;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    const auto [place, is_new] =
        unit_of.try_emplace(by_document ? score.document_id : score.sample_id, units.nll.size());
    if (is_new) {
      units.nll.push_back(0);
      units.tokens.push_back(0);
      units.bytes.push_back(0);
    }
    units.nll[place->second] += value_or_zero(score, "sum_nll");
    units.tokens[place->second] += value_or_zero(score, "tokens");
    units.bytes[place->second] += value_or_zero(score, "bytes");
  }
  return units;
}

MetricValue ratio_metric(std::string name, std::span<const double> top,
                         std::span<const double> bottom, std::uint64_t seed) {
  MetricValue metric{.name = std::move(name),
                     .value = std::accumulate(top.begin(), top.end(), 0.0) /
                              std::accumulate(bottom.begin(), bottom.end(), 0.0),
                     .standard_error = std::nullopt,
                     .ci_low = std::nullopt,
                     .ci_high = std::nullopt,
                     .n = static_cast<std::int64_t>(top.size())};
  if (const std::optional<BootstrapEstimate> spread = bootstrap_ratio(top, bottom, seed)) {
    metric.standard_error = spread->standard_error;
    metric.ci_low = spread->interval.low;
    metric.ci_high = spread->interval.high;
  }
  return metric;
}

// exp of a loss metric; the standard error by the delta method: d exp(x) = exp(x) dx.
MetricValue perplexity_of(const MetricValue& nll) {
  MetricValue metric = nll;
  metric.name = "perplexity";
  metric.value = std::exp(nll.value);
  if (nll.standard_error) metric.standard_error = metric.value * *nll.standard_error;
  if (nll.ci_low) metric.ci_low = std::exp(*nll.ci_low);
  if (nll.ci_high) metric.ci_high = std::exp(*nll.ci_high);
  return metric;
}

MetricValue count_metric(std::string name, double value, std::int64_t n) {
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = value;
  metric.n = n;
  return metric;
}

}  // namespace

std::vector<PositionLoss> bucket_losses(std::span<const double> nll, std::int64_t first_index) {
  check(first_index >= 1, "the token at index 0 has nothing to be predicted from");
  std::vector<PositionLoss> buckets;
  std::int64_t index = first_index;
  for (const double loss : nll) {
    if (buckets.empty() || index > buckets.back().last) {
      const auto first =
          static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(index)));
      buckets.push_back({.first = first, .last = 2 * first - 1, .sum_nll = 0, .count = 0});
    }
    buckets.back().sum_nll += loss;
    ++buckets.back().count;
    ++index;
  }
  return buckets;
}

std::vector<MetricValue> summarize_losses(std::span<const SampleScore> scores, std::uint64_t seed) {
  double skipped = 0;
  for (const SampleScore& score : scores) skipped += value_or_zero(score, "tokens_skipped");
  Units units = collect_units(scores, true);
  if (units.nll.size() == 1) units = collect_units(scores, false);
  std::vector<MetricValue> metrics;
  const auto n = static_cast<std::int64_t>(units.nll.size());
  if (total(units.tokens) > 0) {
    const MetricValue nll = ratio_metric("nll_per_token", units.nll, units.tokens, seed);
    metrics.push_back(perplexity_of(nll));
    metrics.push_back(nll);
    if (total(units.bytes) > 0) {
      std::vector<double> bits = units.nll;
      for (double& value : bits) value /= std::numbers::ln2;
      metrics.push_back(ratio_metric("bits_per_byte", bits, units.bytes, seed));
    }
  }
  metrics.push_back(count_metric("tokens_scored", total(units.tokens), n));
  metrics.push_back(count_metric("tokens_skipped", skipped, n));
  return metrics;
}

}  // namespace yardstick::tasks
