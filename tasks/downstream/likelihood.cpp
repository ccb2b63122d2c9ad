#include "tasks/downstream/likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {
namespace {

using BoundaryWord = std::pair<std::string_view, Boundary>;
constexpr std::array<BoundaryWord, 2> kBoundaries = {
    {{"joint", Boundary::kJoint}, {"separate", Boundary::kSeparate}}};

}  // namespace

Boundary read_boundary(Fields& fields) {
  return fields.choice("boundary", Boundary::kJoint, std::span<const BoundaryWord>(kBoundaries));
}

std::string_view to_string(Boundary boundary) {
  return boundary == Boundary::kJoint ? "joint" : "separate";
}

std::string nothing_to_score(std::string_view text) {
  return fmt::format(
      "'{}' has no token that can be scored: the context is empty, and the tokenizer has neither "
      "BOS nor end-of-text",
      text);
}

std::optional<Likelihood> likelihood_of(const Response& response) {
  const double nll = std::accumulate(response.nll.begin(), response.nll.end(), 0.0);
  if (response.status != ResponseStatus::kOk || !std::isfinite(nll)) return std::nullopt;
  const bool is_greedy = std::all_of(response.is_greedy.begin(), response.is_greedy.end(),
                                     [](std::uint8_t flag) { return flag != 0; });
  return Likelihood{
      .sum = -nll, .tokens = std::ssize(response.nll), .greedy = is_greedy ? 1.0 : 0.0};
}

SampleScore score_of(const Sample& sample) {
  SampleScore score;
  score.sample_id = sample.id;
  score.document_id = sample.document_id;
  score.details = sample.facts;
  return score;
}

SampleScore non_finite(SampleScore score) {
  score.status = SampleStatus::kNonFinite;
  score.reason = kNonFiniteReason;
  return score;
}

std::vector<double> values_of(std::span<const SampleScore> scores, const std::string& name) {
  std::vector<double> out;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    const auto found = score.values.find(name);
    if (found != score.values.end()) out.push_back(found->second);
  }
  return out;
}

MetricValue accuracy_metric(std::string name, std::span<const double> credits) {
  const MeanEstimate mean = mean_with_error(credits);
  const Interval interval =
      wilson_interval(std::accumulate(credits.begin(), credits.end(), 0.0), std::ssize(credits));
  return {.name = std::move(name),
          .value = mean.mean,
          .standard_error = mean.standard_error,
          .ci_low = interval.low,
          .ci_high = interval.high,
          .n = std::ssize(credits)};
}

}  // namespace yardstick::tasks
