// A cell's value from the numbers that its samples stored. Samples of one document are one unit of
// standard errors and intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// One sample's numbers, in an order that the caller chooses, and the document that it is of.
struct Observation {
  std::string_view document;  ///< empty: a document of its own
  std::vector<double> numbers;
};

/// The named numbers of the samples that are kOk. @throws Error(kInternal) if one lacks a name.
[[nodiscard]] std::vector<Observation> observe(std::span<const SampleScore> scores,
                                               std::span<const std::string> names);

/// A metric's name and what its number means.
struct Named {
  std::string name;
  Meaning meaning;
};

/// Mean of the first numbers: standard error by clustered_mean; interval by bootstrap over
/// documents. `observations` is not empty, here and below.
[[nodiscard]] MetricValue summarize_mean(const Named& metric,
                                         std::span<const Observation> observations,
                                         std::uint64_t seed);

/// The same for numbers that are 0 or 1: Wilson's interval where each sample has its own document.
[[nodiscard]] MetricValue summarize_share(const Named& metric,
                                          std::span<const Observation> observations,
                                          std::uint64_t seed);

/// Any statistic of the observations: standard error and interval by bootstrap over documents.
[[nodiscard]] MetricValue summarize(
    const Named& metric, std::span<const Observation> observations,
    const std::function<double(std::span<const Observation* const>)>& statistic,
    std::uint64_t seed);

}  // namespace yardstick::tasks
