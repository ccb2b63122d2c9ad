#include "tasks/metrics/classification.hpp"

#include <cmath>
#include <map>
#include <set>

#include "core/error.hpp"

namespace yardstick::tasks {

double matthews_correlation(std::span<const Classified> items) {
  check(!items.empty(), "a correlation needs at least one item");
  std::map<std::int64_t, double> of_gold;
  std::map<std::int64_t, double> of_predicted;
  double right = 0;
  for (const Classified& item : items) {
    ++of_gold[item.gold];
    ++of_predicted[item.predicted];
    if (item.gold == item.predicted) ++right;
  }
  const auto n = static_cast<double>(items.size());
  double joint = 0;
  double gold_squares = 0;
  double predicted_squares = 0;
  for (const auto& [label, count] : of_gold) {
    const auto predicted = of_predicted.find(label);
    if (predicted != of_predicted.end()) joint += count * predicted->second;
    gold_squares += count * count;
  }
  for (const auto& [label, count] : of_predicted) predicted_squares += count * count;
  const double spread = (n * n - gold_squares) * (n * n - predicted_squares);
  return spread > 0 ? (right * n - joint) / std::sqrt(spread) : 0;
}

double f1_of_class(std::span<const Classified> items, std::int64_t positive) {
  double hits = 0;
  double occurrences = 0;  // on both sides together: 2 TP + FP + FN
  for (const Classified& item : items) {
    if (item.gold == positive && item.predicted == positive) ++hits;
    if (item.gold == positive) ++occurrences;
    if (item.predicted == positive) ++occurrences;
  }
  return occurrences > 0 ? 2 * hits / occurrences : 0;
}

double macro_f1(std::span<const Classified> items) {
  check(!items.empty(), "a mean over classes needs at least one item");
  std::set<std::int64_t> classes;
  for (const Classified& item : items) classes.insert({item.gold, item.predicted});
  double sum = 0;
  for (const std::int64_t label : classes) sum += f1_of_class(items, label);
  return sum / static_cast<double>(classes.size());
}

double brier_score(std::span<const double> probabilities, std::int64_t gold) {
  check(gold >= 0 && gold < std::ssize(probabilities), "gold is one of the classes");
  double sum = 0;
  for (std::int64_t i = 0; i < std::ssize(probabilities); ++i) {
    const double error = probabilities[i] - (i == gold ? 1 : 0);
    sum += error * error;
  }
  return sum;
}

}  // namespace yardstick::tasks
