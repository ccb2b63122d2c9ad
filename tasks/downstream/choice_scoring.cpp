#include "tasks/downstream/choice_scoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace yardstick::tasks {

double normalized(const ChoiceScore& score, Normalization normalization) {
  const double sum = score.log_likelihood;
  switch (normalization) {
    case Normalization::kSum: return sum;
    case Normalization::kCharacter: return sum / static_cast<double>(score.characters);
    case Normalization::kByte: return sum / static_cast<double>(score.bytes);
    case Normalization::kToken: return sum / static_cast<double>(score.tokens);
    case Normalization::kDifference: return sum - score.unconditional.value();
    case Normalization::kRatio: return sum / score.unconditional.value();
  }
  check(false, "every normalization has a formula");
  return 0;
}

Verdict judge(std::span<const ChoiceScore> scores, std::span<const std::int64_t> gold,
              Normalization normalization) {
  double best = -std::numeric_limits<double>::infinity();
  for (const ChoiceScore& score : scores) best = std::max(best, normalized(score, normalization));
  Verdict verdict;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (normalized(scores[i], normalization) != best) continue;
    const auto index = static_cast<std::int64_t>(i);
    if (verdict.best == 0) verdict.prediction = index;
    ++verdict.best;
    if (std::find(gold.begin(), gold.end(), index) != gold.end()) ++right;
  }
  verdict.credit =
      static_cast<double>(right) / static_cast<double>(std::max(verdict.best, std::int64_t{1}));
  return verdict;
}

std::vector<double> choice_probabilities(std::span<const ChoiceScore> scores) {
  double highest = -std::numeric_limits<double>::infinity();
  for (const ChoiceScore& score : scores) highest = std::max(highest, score.log_likelihood);
  std::vector<double> shares;
  double total = 0;
  for (const ChoiceScore& score : scores) {
    shares.push_back(std::exp(score.log_likelihood - highest));
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace yardstick::tasks
