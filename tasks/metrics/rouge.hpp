// ROUGE (Lin 2004) as Google's rouge_score computes it, and the ROUGE-L of the Python package
// `rouge`, which LongBench uses and which differs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

struct RougeScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;  ///< 2 P R / (P + R), 0 if both are 0
};

enum class Stemming { kNone, kPorter };

/// Runs of a-z and 0-9 of the text in lower case; other letters separate words. Stemming is that of
/// words of more than three characters.
[[nodiscard]] std::vector<std::string> rouge_words(std::string_view text, Stemming stemming);

/// Clipped n-gram matches over those of prediction and reference.
[[nodiscard]] RougeScore rouge_n(std::string_view prediction, std::string_view reference,
                                 std::size_t n, Stemming stemming);

/// Longest common subsequence of the whole texts over words of prediction and reference.
[[nodiscard]] RougeScore rouge_l(std::string_view prediction, std::string_view reference,
                                 Stemming stemming);

/// Summary level: lines are sentences; for each of the reference the union of its longest common
/// subsequences with all of the prediction's; no word counts more often than either text has it.
[[nodiscard]] RougeScore rouge_lsum(std::string_view prediction, std::string_view reference,
                                    Stemming stemming);

/// F of `rouge-l` in the package `rouge` 1.0: sentences end at '.', words at white space, case and
/// punctuation count; all counts are of distinct words, and 1e-8 stands in the denominator.
[[nodiscard]] double longbench_rouge_l(std::string_view prediction, std::string_view reference);

}  // namespace yardstick::tasks
