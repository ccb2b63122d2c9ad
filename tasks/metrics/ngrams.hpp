// Counts of n-grams, which ROUGE-N, BLEU and chrF share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace yardstick::tasks {

/// How often each run of n neighbours occurs in `units` (words, characters).
template <typename Unit>
[[nodiscard]] std::map<std::vector<Unit>, std::int64_t> count_ngrams(std::span<const Unit> units,
                                                                     std::size_t n) {
  std::map<std::vector<Unit>, std::int64_t> counts;
  for (std::size_t i = 0; i + n <= units.size(); ++i) {
    const auto run = units.subspan(i, n);
    ++counts[std::vector<Unit>(run.begin(), run.end())];
  }
  return counts;
}

/// Sum over the n-grams of the smaller of the two counts.
template <typename Unit>
[[nodiscard]] std::int64_t count_matches(
    const std::map<std::vector<Unit>, std::int64_t>& predicted,
    const std::map<std::vector<Unit>, std::int64_t>& reference) {
  std::int64_t matches = 0;
  for (const auto& [ngram, count] : predicted) {
    const auto found = reference.find(ngram);
    if (found != reference.end()) matches += std::min(count, found->second);
  }
  return matches;
}

/// Number of n-grams of a sequence of `size` units.
[[nodiscard]] constexpr std::int64_t ngrams_of(std::size_t size, std::size_t n) {
  return size >= n ? static_cast<std::int64_t>(size - n + 1) : 0;
}

}  // namespace yardstick::tasks
