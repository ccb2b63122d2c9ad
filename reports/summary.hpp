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
  kGrid,   ///< lengths x depths, of a share
};
[[nodiscard]] Shape shape_of(const Results& results, std::size_t task);

/// One model's headline metric over lengths, of the cells of one variant. For a grid, successes and
/// samples are summed over the depths of a length and the interval is Wilson's; the depths have
/// equal weight by their samples.
struct CurvePoint {
  std::int64_t length = 0;
  Metric metric;  ///< value absent: no finished cell; `note` says why
  std::string note;
  std::optional<std::int64_t> cells_missing;  ///< of a grid: depths that have no value
};
struct Curve {
  std::size_t model = 0;
  std::string variant;             ///< of its cells; often empty, or the same for all models
  std::vector<CurvePoint> points;  ///< ascending lengths
};
/// One for each model and each variant that its cells with a length have, in the suite's order.
[[nodiscard]] std::vector<Curve> curves(const Results& results, std::size_t task);

/// What tells a curve from the others: its model's name, and its variant if not all have the same.
[[nodiscard]] std::string curve_name(const Results& results, const std::vector<Curve>& all,
                                     const Curve& curve);
/// The variant of all curves, where they have one in common; else empty.
[[nodiscard]] std::string common_variant(const std::vector<Curve>& all);

/// How much ran, by the cells that have a value: "n = 16 documents a cell (16 to 256 samples)".
/// "no cell has a value" while there is none.
[[nodiscard]] std::string ran_text(const Results& results, std::size_t task);

/// All lengths (ascending) and depths (ascending) of a task's cells.
[[nodiscard]] std::vector<std::int64_t> lengths_of(const Results& results, std::size_t task);
[[nodiscard]] std::vector<double> depths_of(const Results& results, std::size_t task);

/// Where a cell stands among those of a suite.
struct Place {
  std::size_t model = 0;
  std::size_t task = 0;
  std::optional<std::int64_t> length;
  std::optional<double> depth;
  std::string variant;
};
/// The cell at this place, or nullptr.
[[nodiscard]] const Cell* find_cell(const Results& results, const Place& place);

/// Which of a task's cells it is, besides its model: "1k, depth 0.5, unstretched"; empty if the
/// task has but one cell for each model.
[[nodiscard]] std::string axes_text(const Cell& cell);

/// Names of the metrics of a task's cells, in the order in which they first appear.
[[nodiscard]] std::vector<std::string> metric_names(const Results& results, std::size_t task);

/// The distinct known training lengths of the models, ascending.
[[nodiscard]] std::vector<std::int64_t> training_lengths(const Results& results);

/// The title of a task's metric in running text: "perplexity", "accuracy".
[[nodiscard]] std::string metric_title(std::string_view metric);

/// Sentences that state what the curves show: who is best at the longest length, where the
/// intervals tell the first two apart, and how far each model moved from its value at the training
/// length. Plain text, facts only.
[[nodiscard]] std::vector<std::string> findings(const Results& results);

}  // namespace yardstick::reports
