#include "tasks/metrics/summarize.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/metrics/interval.hpp"

namespace yardstick::tasks {
namespace {

using Units = std::vector<std::vector<const Observation*>>;

// Samples by document, in the order of their first samples.
Units units_of(std::span<const Observation> observations) {
  Units units;
  std::map<std::string_view, std::size_t> places;
  for (const Observation& observation : observations) {
    const bool alone = observation.document.empty();
    const auto [place, is_new] = alone ? std::pair(places.end(), true)
                                       : places.try_emplace(observation.document, units.size());
    if (is_new) units.emplace_back();
    units[is_new ? units.size() - 1 : place->second].push_back(&observation);
  }
  return units;
}

double mean_of(std::span<const Observation* const> observations) {
  double sum = 0;
  for (const Observation* observation : observations) sum += observation->numbers.front();
  return sum / static_cast<double>(observations.size());
}

MeanEstimate mean_by_document(const Units& units) {
  std::vector<double> values;
  std::vector<std::size_t> documents;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const Observation* observation : units[i]) {
      values.push_back(observation->numbers.front());
      documents.push_back(i);
    }
  }
  return clustered_mean(values, documents);
}

}  // namespace

std::vector<Observation> observe(std::span<const SampleScore> scores,
                                 std::span<const std::string> names) {
  std::vector<Observation> observations;
  for (const SampleScore& score : scores) {
    if (score.status != SampleStatus::kOk) continue;
    Observation& observation =
        observations.emplace_back(Observation{.document = score.document_id});
    for (const std::string& name : names) {
      const auto found = score.values.find(name);
      check(found != score.values.end(),
            fmt::format("sample '{}' has a value '{}'", score.sample_id, name));
      observation.numbers.push_back(found->second);
    }
  }
  return observations;
}

MetricValue summarize(const Named& metric, std::span<const Observation> observations,
                      const std::function<double(std::span<const Observation* const>)>& statistic,
                      std::uint64_t seed) {
  check(!observations.empty(), "a metric needs at least one sample");
  const Units units = units_of(observations);
  std::vector<const Observation*> drawn;
  const auto of_units = [&](std::span<const std::size_t> indices) {
    drawn.clear();
    for (const std::size_t i : indices) {
      drawn.insert(drawn.end(), units[i].begin(), units[i].end());
    }
    return statistic(drawn);
  };
  std::vector<std::size_t> all(units.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  MetricValue value{.name = metric.name,
                    .value = of_units(all),
                    .n = std::ssize(observations),
                    .meaning = metric.meaning};
  if (const auto estimate = bootstrap(units.size(), of_units, seed)) {
    value.standard_error = estimate->standard_error;
    value.ci_low = estimate->interval.low;
    value.ci_high = estimate->interval.high;
  }
  return value;
}

MetricValue summarize_mean(const Named& metric, std::span<const Observation> observations,
                           std::uint64_t seed) {
  MetricValue value = summarize(metric, observations, mean_of, seed);
  value.standard_error = mean_by_document(units_of(observations)).standard_error;
  return value;
}

MetricValue summarize_share(const Named& metric, std::span<const Observation> observations,
                            std::uint64_t seed) {
  const Units units = units_of(observations);
  if (units.size() < observations.size()) {
    return summarize_mean(metric, observations, seed);
  }
  check(!observations.empty(), "a metric needs at least one sample");
  const MeanEstimate mean = mean_by_document(units);
  const auto n = static_cast<std::int64_t>(units.size());
  const Interval interval = wilson_interval(
      std::clamp(mean.mean * static_cast<double>(n), 0.0, static_cast<double>(n)), n);
  return {.name = metric.name,
          .value = mean.mean,
          .standard_error = mean.standard_error,
          .ci_low = interval.low,
          .ci_high = interval.high,
          .n = n,
          .meaning = metric.meaning};
}

}  // namespace yardstick::tasks
