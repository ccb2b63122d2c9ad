// Longest common subsequences: their length, and which elements one of them takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yardstick::tasks {

/// Time a x b, memory of one row.
template <typename T>
[[nodiscard]] std::int64_t common_subsequence_length(std::span<const T> a, std::span<const T> b) {
  std::vector<std::int32_t> row(b.size() + 1, 0);
  for (const T& element : a) {
    std::int32_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::int32_t above = row[j];
      row[j] = element == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return row.back();
}

/// Which way back through the table is taken where both lead to a longest subsequence: it decides
/// between subsequences of one length, and so between implementations of ROUGE-L.
enum class OnTie { kDropFromFirst, kDropFromSecond };

/// Ascending indices into `a` of one longest common subsequence. Time and memory a x b.
template <typename T>
[[nodiscard]] std::vector<std::size_t> common_subsequence(std::span<const T> a,
                                                          std::span<const T> b, OnTie on_tie) {
  const std::size_t width = b.size() + 1;
  std::vector<std::int32_t> table((a.size() + 1) * width, 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t at = i * width + j;
      table[at] = a[i - 1] == b[j - 1] ? table[at - width - 1] + 1
                                       : std::max(table[at - width], table[at - 1]);
    }
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    const std::int32_t without_first = table[(i - 1) * width + j];
    const std::int32_t without_second = table[i * width + j - 1];
    if (a[i - 1] == b[j - 1]) {
      indices.push_back(--i);
      --j;
    } else if (without_first > without_second ||
               (without_first == without_second && on_tie == OnTie::kDropFromFirst)) {
      --i;
    } else {
      --j;
    }
  }
  std::reverse(indices.begin(), indices.end());
  return indices;
}

}  // namespace yardstick::tasks
