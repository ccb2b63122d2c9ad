// Metrics of classes: Matthews correlation, F1 of a class and over classes, Brier score.
#pragma once

#include <cstdint>
#include <span>

namespace yardstick::tasks {

struct Classified {
  std::int64_t gold = 0;       ///< index of the right class
  std::int64_t predicted = 0;  ///< index of the class that the model chose
};

/// Matthews correlation in [-1, 1]; for more than two classes R_K (Gorodkin 2004). 0 if all golds
/// or all predictions are of one class. `items` is not empty.
[[nodiscard]] double matthews_correlation(std::span<const Classified> items);

/// 2 TP / (2 TP + FP + FN) of one class; 0 if it occurs on neither side.
[[nodiscard]] double f1_of_class(std::span<const Classified> items, std::int64_t positive);

/// Mean of f1_of_class over the classes that occur on either side. `items` is not empty.
[[nodiscard]] double macro_f1(std::span<const Classified> items);

/// Sum over the classes of (probability - [class is gold])^2, in [0, 2] (Brier 1950); a data set's
/// score is the mean. `probabilities` add up to 1.
[[nodiscard]] double brier_score(std::span<const double> probabilities, std::int64_t gold);

}  // namespace yardstick::tasks
