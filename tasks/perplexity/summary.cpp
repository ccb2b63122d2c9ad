#include "tasks/perplexity/summary.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "tasks/metrics/interval.hpp"
#include "tasks/metrics/ratio.hpp"

namespace yardstick::tasks {
namespace {

// Sums of the resampling units: documents or samples.
struct Units {
  std::vector<double> nll;
  std::vector<double> tokens;
  std::vector<double> bytes;
  std::vector<double> words;
  std::vector<double> mean_nll;  ///< sum over the unit's samples of their mean nll
  std::vector<double> samples;
  std::vector<double> hf_nll;  ///< sum over the samples of weight x mean nll
  std::vector<double> hf_weight;
};

enum class UnitKind { kDocument, kSample };

double value_or_zero(const SampleScore& score, const char* name) {
  const auto found = score.values.find(name);
  return found == score.values.end() ? 0.0 : found->second;
}

double total(std::span<const SampleScore> scores, const char* name) {
  double sum = 0;
  for (const SampleScore& score : scores) sum += value_or_zero(score, name);
  return sum;
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Units collect_units(std::span<const SampleScore> scores, UnitKind kind) {
  Units units;
  std::map<std::string, std::size_t> unit_of;
  for (const SampleScore& score : scores) {
    const double tokens = value_or_zero(score, "tokens");
    if (score.status != SampleStatus::kOk || tokens == 0) continue;
    const std::string& name = kind == UnitKind::kDocument ? score.document_id : score.sample_id;
    const auto [place, is_new] = unit_of.try_emplace(name, units.nll.size());
    if (is_new) {
      for (auto* const sums : {&units.nll, &units.tokens, &units.bytes, &units.words,
                               &units.mean_nll, &units.samples, &units.hf_nll, &units.hf_weight})
        sums->push_back(0);
    }
    const std::size_t unit = place->second;
    const double nll = value_or_zero(score, "sum_nll");
    units.nll[unit] += nll;
    units.tokens[unit] += tokens;
    units.bytes[unit] += value_or_zero(score, "bytes");
    units.words[unit] += value_or_zero(score, "words");
    units.mean_nll[unit] += nll / tokens;
    units.samples[unit] += 1;
    const double weight = value_or_zero(score, kHfWeight);
    units.hf_nll[unit] += weight * nll / tokens;
    units.hf_weight[unit] += weight;
  }
  return units;
}

// The same loss in bits.
MetricValue bits_of(std::string name, const MetricValue& nll) {
  MetricValue metric = nll;
  metric.name = std::move(name);
  metric.meaning = kBitsMeaning;
  metric.value /= std::numbers::ln2;
  for (std::optional<double>* const part :
       {&metric.standard_error, &metric.ci_low, &metric.ci_high})
    if (*part) **part /= std::numbers::ln2;
  return metric;
}

MetricValue plain_metric(std::string name, double value, std::int64_t n, const Meaning& meaning) {
  MetricValue metric;
  metric.name = std::move(name);
  metric.value = value;
  metric.n = n;
  metric.meaning = meaning;
  return metric;
}

MetricValue mean_document_perplexity(const Units& documents, std::uint64_t seed) {
  std::vector<double> perplexities;
  for (std::size_t i = 0; i < documents.nll.size(); ++i)
    perplexities.push_back(std::exp(documents.nll[i] / documents.tokens[i]));
  const MeanEstimate mean = mean_with_error(perplexities);
  MetricValue metric =
      plain_metric("document_perplexity_mean", mean.mean,
                   static_cast<std::int64_t>(perplexities.size()), kPerplexityMeaning);
  if (!std::isfinite(mean.mean)) return metric;
  metric.standard_error = mean.standard_error;
  const std::vector<double> ones(perplexities.size(), 1.0);
  if (const auto spread = bootstrap_ratio(perplexities, ones, seed)) {
    metric.ci_low = spread->interval.low;
    metric.ci_high = spread->interval.high;
  }
  return metric;
}

}  // namespace

void PositionSums::add(std::span<const double> nll, std::int64_t first_index) {
  check(first_index >= 1, "the token at index 0 has nothing to be predicted from");
  std::int64_t index = first_index;
  for (const double loss : nll) {
    PositionLoss place{.first = index, .last = index, .sum_nll = 0, .count = 0};
    if (positions_ == Positions::kBuckets) {
      place.first = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(index)));
      place.last = 2 * place.first - 1;
    }
    PositionLoss& sum = sums_.try_emplace(place.first, place).first->second;
    sum.sum_nll += loss;
    ++sum.count;
    ++index;
  }
}

std::vector<PositionLoss> PositionSums::take() const {
  std::vector<PositionLoss> out;
  for (const auto& [first, sum] : sums_) out.push_back(sum);
  return out;
}

std::vector<MetricValue> summarize_losses(std::span<const SampleScore> scores,
                                          const SummaryPlan& plan, std::uint64_t seed) {
  const Units documents = collect_units(scores, UnitKind::kDocument);
  const Units units =
      documents.nll.size() == 1 ? collect_units(scores, UnitKind::kSample) : documents;
  std::vector<MetricValue> metrics;
  const auto n = static_cast<std::int64_t>(units.nll.size());
  if (n > 0) {
    const MetricValue nll = ratio_metric("nll_per_token", units.nll, units.tokens, seed);
    metrics.push_back(exp_of("perplexity", nll));
    metrics.push_back(nll);
    if (plan.samples == SummaryPlan::Samples::kMeanOfWindows) {
      metrics.push_back(exp_of("perplexity_mean_of_windows",
                               ratio_metric("", units.mean_nll, units.samples, seed)));
    }
    if (plan.samples == SummaryPlan::Samples::kHfScript && total(units.hf_weight) > 0) {
      metrics.push_back(
          exp_of("perplexity_hf_script", ratio_metric("", units.hf_nll, units.hf_weight, seed)));
    }
    if (total(units.bytes) > 0) {
      const MetricValue by_byte = ratio_metric("", units.nll, units.bytes, seed);
      metrics.push_back(bits_of("bits_per_byte", by_byte));
      metrics.push_back(exp_of("byte_perplexity", by_byte));
    }
    if (total(units.words) > 0) {
      metrics.push_back(exp_of("word_perplexity", ratio_metric("", units.nll, units.words, seed)));
    }
    if (plan.documents == SummaryPlan::Documents::kSeparate)
      metrics.push_back(mean_document_perplexity(documents, seed));
  }
  metrics.push_back(plain_metric("tokens_scored", total(units.tokens), n, kTokensMeaning));
  metrics.push_back(
      plain_metric("tokens_skipped", total(scores, "tokens_skipped"), n, kTokensMeaning));
  metrics.push_back(
      plain_metric("documents_skipped", total(scores, "documents_skipped"), n, kDocumentsMeaning));
  return metrics;
}

}  // namespace yardstick::tasks
