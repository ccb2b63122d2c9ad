// Scores of LongBench (Bai et al. 2023) and InfiniteBench (Zhang et al. 2024) for one answer, in
// 0..1, as their evaluation scripts compute them. ROUGE-L: rouge.hpp; F1: overlap.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yardstick::tasks {

/// Share of the prediction's runs of digits that are `gold`; 0 if it has none.
[[nodiscard]] double longbench_count(std::string_view prediction, std::string_view gold);

/// The digits behind the first "Paragraph " of a right answer that digits follow.
[[nodiscard]] std::optional<std::string> paragraph_number(std::string_view gold);

/// longbench_count for the number of gold's paragraph; 0 if gold names none.
[[nodiscard]] double longbench_retrieval(std::string_view prediction, std::string_view gold);

/// 1 / (number of classes that stand in the prediction), 0 if gold is not one of them. Classes that
/// are a proper part of gold are left out of the count, but not the second of two in a row: the
/// script removes from the list that it walks through, and so does this.
[[nodiscard]] double longbench_classification(std::string_view prediction, std::string_view gold,
                                              std::span<const std::string> classes);

/// 2 LCS / (characters of both), rounded to hundredths, of gold and the prediction's first line
/// without '`', '#' or "//" (line breaks in front are passed over). 0 if either is empty.
[[nodiscard]] double longbench_code_similarity(std::string_view prediction, std::string_view gold);

/// 1 if the first run of digits is `gold`.
[[nodiscard]] double infinitebench_first_number(std::string_view prediction, std::string_view gold);

/// 1 if `gold` is one of the words left once line breaks and : " ' . , ? ! { } are blanks.
[[nodiscard]] double infinitebench_key_value(std::string_view prediction, std::string_view gold);

}  // namespace yardstick::tasks
