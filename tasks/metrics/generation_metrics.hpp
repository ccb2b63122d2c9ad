// Metrics of generated text by the names that `metric_list` gives them: numbers for each sample,
// and the cell's value from those numbers alone, so that a store can aggregate again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// A headline's direction in the words of a metric's meaning.
[[nodiscard]] constexpr Meaning::Better meaning_of(Task::Headline::Better better) {
  return better == Task::Headline::Better::kHigher ? Meaning::Better::kHigher
                                                   : Meaning::Better::kLower;
}

/// Immutable and thread-safe.
class GenerationMetric {
 public:
  virtual ~GenerationMetric() = default;

  /// "exact_match", or "exact_match,strict-match" behind the filters of that name.
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// One phrase that names definition and options: "rougeL (rouge_score, F1, stemmer)".
  [[nodiscard]] virtual std::string definition() const = 0;

  [[nodiscard]] virtual Task::Headline::Better better() const = 0;

  /// Why no answer can be scored against these right answers, in words that follow a record's
  /// place ("the right answer 'The' is empty once ..."); nothing if they are fit for use. Asked for
  /// each record before anything runs, and thrown as Error(kData).
  [[nodiscard]] virtual std::optional<std::string> problem(
      std::span<const std::string> references) const = 0;

  /// The numbers of one sample, for SampleScore::values: "exact_match", "bleu/match_1". Every name
  /// begins with name().
  /// @param references right answers, at least one, for which problem() found nothing.
  [[nodiscard]] virtual std::map<std::string, double> values(
      std::string_view prediction, std::span<const std::string> references) const = 0;

  /// The cell's value over the samples that are kOk, n of them, with standard error and interval;
  /// samples of one document count as one unit of both. Nothing if no sample is kOk.
  /// @throws Error(kInternal) if such a sample lacks one of values()' names.
  [[nodiscard]] virtual std::optional<MetricValue> aggregate(std::span<const SampleScore> scores,
                                                             std::uint64_t seed) const = 0;
};

/// Reads one element of `metric_list`: metric, aggregation, higher_is_better, and the options of
/// that metric, to the end (it calls finish()).
/// @param filter name of the pipeline of filters in front, which then stands in name(); empty if
///   there is none.
/// @throws Error(kConfig) with file:line:column for unknown names, with the nearest one, and for
///   options that the metric does not have.
[[nodiscard]] std::unique_ptr<const GenerationMetric> make_generation_metric(
    Fields& entry, std::string_view filter);

/// Names that make_generation_metric knows, sorted.
[[nodiscard]] std::vector<std::string> generation_metric_names();

}  // namespace yardstick::tasks
