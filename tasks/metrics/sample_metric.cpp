#include "tasks/metrics/sample_metric.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "tasks/metrics/summarize.hpp"

namespace yardstick::tasks {
namespace {

using Sample = std::span<const Observation* const>;

double sum_of(Sample observations) {
  double sum = 0;
  for (const Observation* observation : observations) sum += observation->numbers.front();
  return sum;
}

double median_of(Sample observations) {
  std::vector<double> values;
  for (const Observation* observation : observations) {
    values.push_back(observation->numbers.front());
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// A maximum has no standard error to speak of: resampling hardly ever changes it.
MetricValue maximum(const Named& metric, std::span<const Observation> observations) {
  double best = observations.front().numbers.front();
  for (const Observation& observation : observations) {
    best = std::max(best, observation.numbers.front());
  }
  return {
      .name = metric.name, .value = best, .n = std::ssize(observations), .meaning = metric.meaning};
}

std::string_view to_string(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::kMean: return "mean";
    case Aggregation::kMedian: return "median";
    case Aggregation::kMax: return "max";
    case Aggregation::kSum: return "sum";
  }
  return "";
}

class SampleMetric final : public GenerationMetric {
 public:
  SampleMetric(SampleScorer scorer, SampleMetricSettings settings)
      : scorer_(std::move(scorer)), settings_(std::move(settings)) {}

  [[nodiscard]] const std::string& name() const override { return settings_.name; }
  [[nodiscard]] Task::Headline::Better better() const override { return settings_.better; }

  [[nodiscard]] std::string definition() const override {
    if (settings_.aggregation == Aggregation::kMean) return scorer_.definition;
    return fmt::format("{} of {}", to_string(settings_.aggregation), scorer_.definition);
  }

  [[nodiscard]] std::optional<std::string> problem(
      std::span<const std::string> references) const override {
    if (references.empty()) return "there is no right answer";
    const auto unusable = std::find_if_not(references.begin(), references.end(), scorer_.usable);
    if (unusable == references.end()) return std::nullopt;
    if (scorer_.need == SampleScorer::Need::kAny &&
        std::any_of(references.begin(), references.end(), scorer_.usable)) {
      return std::nullopt;
    }
    return fmt::format("the right answer '{}' {}, so that {} cannot score against it", *unusable,
                       scorer_.unusable, settings_.name);
  }

  [[nodiscard]] std::map<std::string, double> values(
      std::string_view prediction, std::span<const std::string> references) const override {
    check(!references.empty(), "a prediction is compared to at least one reference");
    return {{settings_.name, scorer_.score(prediction, references)}};
  }

  [[nodiscard]] std::optional<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                     std::uint64_t seed) const override {
    const std::vector<Observation> observations = observe(scores, {&settings_.name, 1});
    if (observations.empty()) return std::nullopt;
    const Named metric{.name = settings_.name, .meaning = meaning()};
    switch (settings_.aggregation) {
      case Aggregation::kMean:
        return scorer_.range == SampleScorer::Range::kZeroOrOne
                   ? summarize_share(metric, observations, seed)
                   : summarize_mean(metric, observations, seed);
      case Aggregation::kMedian: return summarize(metric, observations, median_of, seed);
      case Aggregation::kSum: return summarize(metric, observations, sum_of, seed);
      case Aggregation::kMax: break;
    }
    return maximum(metric, observations);
  }

 private:
  // Every score of a sample lies in [0, 1], and so do all aggregates but the sum.
  [[nodiscard]] Meaning meaning() const {
    return {.unit = settings_.aggregation == Aggregation::kSum ? Meaning::Unit::kNumber
                                                               : Meaning::Unit::kShare,
            .better = meaning_of(settings_.better)};
  }

  SampleScorer scorer_;
  SampleMetricSettings settings_;
};

}  // namespace

std::function<double(std::string_view, std::span<const std::string>)> best_of(
    std::function<double(std::string_view, const std::string&)> score) {
  return [score = std::move(score)](std::string_view prediction,
                                    std::span<const std::string> references) {
    double best = 0;
    for (const std::string& reference : references) {
      best = std::max(best, score(prediction, reference));
    }
    return best;
  };
}

std::unique_ptr<const GenerationMetric> make_sample_metric(SampleScorer scorer,
                                                           SampleMetricSettings settings) {
  return std::make_unique<SampleMetric>(std::move(scorer), std::move(settings));
}

}  // namespace yardstick::tasks
