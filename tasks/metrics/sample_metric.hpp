// Metrics that score each sample by itself: most of those of generated text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tasks/metrics/generation_metrics.hpp"

namespace yardstick::tasks {

enum class Aggregation { kMean, kMedian, kMax, kSum };

/// How one metric scores.
struct SampleScorer {
  std::string definition;
  std::function<double(std::string_view prediction, std::span<const std::string> references)> score;
  enum class Range { kZeroOrOne, kReal } range = Range::kReal;
  /// Whether a right answer can be met at all, and what it means that it cannot: "is empty".
  std::function<bool(const std::string& reference)> usable;
  std::string unusable;
  /// How many right answers have to be usable: one does where the best of them counts.
  enum class Need { kAny, kAll } need = Need::kAny;
};

/// The score of the reference that it is highest for.
[[nodiscard]] std::function<double(std::string_view, std::span<const std::string>)> best_of(
    std::function<double(std::string_view prediction, const std::string& reference)> score);

struct SampleMetricSettings {
  std::string name;
  Task::Headline::Better better = Task::Headline::Better::kHigher;
  Aggregation aggregation = Aggregation::kMean;
};

[[nodiscard]] std::unique_ptr<const GenerationMetric> make_sample_metric(
    SampleScorer scorer, SampleMetricSettings settings);

}  // namespace yardstick::tasks
