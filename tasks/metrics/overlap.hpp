// Exact match and F1 over the words of short answers, as SQuAD scores them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace yardstick::tasks {

/// 2 P R / (P + R) over the two as multisets: words in common / words predicted, and / words of
/// gold. 0 if none is in common.
[[nodiscard]] double overlap_f1(std::span<const std::string> predicted,
                                std::span<const std::string> gold);

/// overlap_f1 of the words of both after normalize_answer.
[[nodiscard]] double squad_f1(std::string_view prediction, std::string_view gold);

/// Equal after normalize_answer. Two texts that both normalise to nothing are not equal.
[[nodiscard]] double squad_exact_match(std::string_view prediction, std::string_view gold);

/// Gold stands in the prediction as a substring, both after normalize_answer: HELMET's substring
/// match and "best subspan" of Lost in the Middle. A gold that normalises to nothing is in nothing.
[[nodiscard]] double substring_exact_match(std::string_view prediction, std::string_view gold);

}  // namespace yardstick::tasks
