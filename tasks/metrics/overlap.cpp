#include "tasks/metrics/overlap.hpp"

#include <cstdint>
#include <unordered_map>

#include "tasks/metrics/characters.hpp"
#include "tasks/metrics/normalize.hpp"

namespace yardstick::tasks {

double overlap_f1(std::span<const std::string> predicted, std::span<const std::string> gold) {
  std::unordered_map<std::string_view, std::int64_t> left;
  for (const std::string& word : gold) ++left[word];
  double common = 0;
  for (const std::string& word : predicted) {
    const auto found = left.find(word);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  if (common == 0) return 0;
  const double precision = common / static_cast<double>(predicted.size());
  const double recall = common / static_cast<double>(gold.size());
  return 2 * precision * recall / (precision + recall);
}

double squad_f1(std::string_view prediction, std::string_view gold) {
  return overlap_f1(split_words(normalize_answer(prediction)), split_words(normalize_answer(gold)));
}

double squad_exact_match(std::string_view prediction, std::string_view gold) {
  const std::string expected = normalize_answer(gold);
  return !expected.empty() && normalize_answer(prediction) == expected ? 1 : 0;
}

double substring_exact_match(std::string_view prediction, std::string_view gold) {
  const std::string expected = normalize_answer(gold);
  return !expected.empty() && normalize_answer(prediction).find(expected) != std::string::npos ? 1
                                                                                               : 0;
}

}  // namespace yardstick::tasks
