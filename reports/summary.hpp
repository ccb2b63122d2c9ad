// Results arranged the way people look at them: a curve over lengths per model, a grid per model,
// a plain value per model. Every format starts from these.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/query.hpp"

namespace yardstick::reports {

/// How a task is best shown, decided by the axes of its cells.
enum class Shape {
  kTable,  ///< no length: one value a model
  kCurve,  ///< one cell a length
  kGrid,   ///< lengths x depths
};
[[nodiscard]] Shape shape_of(const Results& results, std::size_t task);

/// One model's headline metric over lengths. For a grid, successes and samples are summed over the
/// depths of a length and the interval is Wilson's; the depths have equal weight by their samples.
struct CurvePoint {
  std::int64_t length = 0;
  Metric metric;  ///< value absent: no finished cell; `note` says why
  std::string note;
  std::optional<std::int64_t> cells_missing;  ///< of a grid: depths that have no value
};
struct Curve {
  std::size_t model = 0;
  std::vector<CurvePoint> points;  ///< ascending lengths
};
[[nodiscard]] std::vector<Curve> curves(const Results& results, std::size_t task);

/// All lengths (ascending) and depths (ascending) of a task's cells.
[[nodiscard]] std::vector<std::int64_t> lengths_of(const Results& results, std::size_t task);
[[nodiscard]] std::vector<double> depths_of(const Results& results, std::size_t task);

/// The cell of a model and task at these axes, or nullptr.
[[nodiscard]] const Cell* find_cell(const Results& results, std::size_t model, std::size_t task,
                                    std::optional<std::int64_t> length,
                                    std::optional<double> depth);

/// Which of a task's cells it is, besides its model: "1k, depth 0.5, unstretched"; empty if the
/// task has but one cell for each model.
[[nodiscard]] std::string axes_text(const Cell& cell);

/// Names of the metrics of a task's cells, as the first cell that has any orders them.
[[nodiscard]] std::vector<std::string> metric_names(const Results& results, std::size_t task);

/// The distinct known training lengths of the models, ascending.
[[nodiscard]] std::vector<std::int64_t> training_lengths(const Results& results);

/// The title of a task's metric in running text: "perplexity", "accuracy".
[[nodiscard]] std::string metric_title(std::string_view metric);

/// Sentences that state what the curves show: who is best at the longest length, and how far each
/// model moved from its value at the training length. Plain text, facts only.
[[nodiscard]] std::vector<std::string> findings(const Results& results);

}  // namespace yardstick::reports
