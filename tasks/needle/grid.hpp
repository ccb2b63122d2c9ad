// What needle tasks share around their prompts: cells over lengths and depths, places in tokens,
// and the mean of a match.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "models/engine/request.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// `depths`: fractions from 0 to 1, or how many of them, evenly spaced from 0 to 1 (0.5 for one).
/// `fallback` if the key is absent. @throws Error(kConfig)
[[nodiscard]] std::vector<double> read_depths(Fields& fields, std::vector<double> fallback);

/// A cell for each length and depth, lengths first; without depths one for each length.
[[nodiscard]] std::vector<CellAxes> grid_cells(std::span<const std::int64_t> lengths,
                                               std::span<const double> depths);

/// Index of the first token that ends behind `byte` of the text: the one that holds it.
[[nodiscard]] std::int64_t token_at(std::span<const TokenSpan> spans, std::size_t byte);

/// @throws Error(kConfig) if the right answer of a sample that make_answer_sample() made has more
/// tokens than are generated: no output could be right. `task` names the kind.
void check_answer_fits(std::string_view task, const Sample& sample, std::int64_t max_new_tokens);

/// The mean of a value from 0 to 1 over the samples that count, with Wilson's interval.
/// `scores` holds at least one such sample.
[[nodiscard]] MetricValue mean_match(const std::string& name, std::span<const SampleScore> scores);

}  // namespace yardstick::tasks
