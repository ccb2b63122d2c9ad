// chrF of a corpus from counts that each sample stores (Popović 2015), as sacrebleu computes it:
// character n-grams up to 6, no word n-grams, beta 2, white space left out, case counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace yardstick::tasks {

inline constexpr std::size_t kChrfOrder = 6;

/// What one sample contributes; sums of them are the corpus's. By n = 1..6.
struct ChrfCounts {
  std::array<std::int64_t, kChrfOrder> predicted{};  ///< n-grams of the prediction
  std::array<std::int64_t, kChrfOrder> expected{};   ///< n-grams of the reference
  std::array<std::int64_t, kChrfOrder> match{};      ///< in common, clipped

  bool operator==(const ChrfCounts&) const = default;
  ChrfCounts& operator+=(const ChrfCounts& other);
};

/// Counts against the reference for which chrf() is best, the first of equals. `references` is not
/// empty.
[[nodiscard]] ChrfCounts count_chrf(std::string_view prediction,
                                    std::span<const std::string> references);

/// 100 (1 + beta^2) P R / (beta^2 P + R); P and R are means over the orders that both sides have.
[[nodiscard]] double chrf(const ChrfCounts& corpus);

}  // namespace yardstick::tasks
