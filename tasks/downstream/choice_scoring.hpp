// Multiple choice by log-likelihood: what a choice scores under each normalisation, and what a
// sample earns when choices tie or several are right.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// Log-likelihood of one choice and what it may be compared with. The string is the same in all:
/// what is scored behind the context, sizes without the delimiter.
struct ChoiceScore {
  double log_likelihood = 0;  ///< nats, of the tokens that follow the context
  /// nats, of the same string behind the unconditional context, where that was asked for
  std::optional<double> unconditional = std::nullopt;
  std::int64_t characters = 0;  ///< Unicode code points of the choice, without delimiter
  std::int64_t bytes = 0;       ///< UTF-8 bytes of the choice, without delimiter
  std::int64_t tokens = 0;      ///< tokens scored
};

enum class Normalization {
  kSum,         ///< ln p(choice | context)
  kCharacter,   ///< ... / characters
  kByte,        ///< ... / bytes
  kToken,       ///< ... / tokens
  kDifference,  ///< ... - ln p(choice | unconditional context): pointwise mutual information
  kRatio,       ///< ... / ln p(choice | unconditional context), as OLMo's pmi_dc
};

struct NamedNormalization {
  Normalization kind;
  std::string_view metric;  ///< "acc", "acc_char", ...
};
/// Of every sample.
inline constexpr std::array<NamedNormalization, 4> kNormalizations = {
    {{Normalization::kSum, "acc"},
     {Normalization::kCharacter, "acc_char"},
     {Normalization::kByte, "acc_byte"},
     {Normalization::kToken, "acc_token"}}};
/// Of samples whose choices were scored behind the unconditional context as well.
inline constexpr std::array<NamedNormalization, 2> kPmiNormalizations = {
    {{Normalization::kDifference, "acc_pmi"}, {Normalization::kRatio, "acc_pmi_ratio"}}};

/// What decides: the largest wins. For the last two, `unconditional` is there.
[[nodiscard]] double normalized(const ChoiceScore& score, Normalization normalization);

struct Verdict {
  double credit = 0;            ///< share of right ones among the k best: 1/k of a tie
  std::int64_t best = 0;        ///< k: how many choices have exactly the best score
  std::int64_t prediction = 0;  ///< the first of them
};

/// @param gold indices of the right choices, at least one.
[[nodiscard]] Verdict judge(std::span<const ChoiceScore> scores, std::span<const std::int64_t> gold,
                            Normalization normalization);

/// Softmax of the log-likelihoods: the model's probabilities, were the choices all there is.
[[nodiscard]] std::vector<double> choice_probabilities(std::span<const ChoiceScore> scores);

}  // namespace yardstick::tasks
