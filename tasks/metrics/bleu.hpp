// BLEU of a corpus from counts that each sample stores (Papineni et al. 2002), as sacrebleu
// computes it: tokenizer 13a, exponential smoothing, case counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

inline constexpr std::size_t kBleuOrder = 4;

/// What one sample contributes; sums of them are the corpus's.
struct BleuCounts {
  std::array<std::int64_t, kBleuOrder> match{};  ///< n-grams in common, clipped, n = 1..4
  std::array<std::int64_t, kBleuOrder> total{};  ///< n-grams of the prediction
  std::int64_t prediction_length = 0;            ///< words
  std::int64_t reference_length = 0;             ///< words of the reference nearest in length

  bool operator==(const BleuCounts&) const = default;
  BleuCounts& operator+=(const BleuCounts& other);
};

/// Words as mteval-v13a cuts them: ASCII punctuation stands alone, '.' and ',' between digits and
/// '-' not behind one stay in their word.
[[nodiscard]] std::vector<std::string> tokenize_13a(std::string_view text);

/// An n-gram may match as often as it occurs in the reference that has it most often; of two
/// references equally near in length the shorter one counts. `references` is not empty.
[[nodiscard]] BleuCounts count_bleu(std::string_view prediction,
                                    std::span<const std::string> references);

/// 100 BP exp(mean of ln p_n): p_n = match / total, or 1 / (2^k total) for the k-th order without a
/// match; BP = exp(1 - reference / prediction) if the prediction is shorter. 0 if nothing matches
/// or the corpus has no 4-gram.
[[nodiscard]] double bleu(const BleuCounts& corpus);

}  // namespace yardstick::tasks
