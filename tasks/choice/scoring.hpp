// Multiple choice by log-likelihood: what a choice scores under four normalisations, and what a
// sample earns when choices tie.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Log-likelihood of one choice and the three sizes that it may be divided by.
struct ChoiceScore {
  double log_likelihood = 0;    ///< nats, of the tokens that follow the context
  std::int64_t characters = 0;  ///< Unicode code points of the choice, without delimiter
  std::int64_t bytes = 0;       ///< UTF-8 bytes of the choice, without delimiter
  std::int64_t tokens = 0;      ///< tokens scored
};

enum class Normalization { kSum, kCharacter, kByte, kToken };

struct NamedNormalization {
  Normalization kind;
  std::string_view metric;  ///< "acc", "acc_char", ...
};
inline constexpr std::array<NamedNormalization, 4> kNormalizations = {
    {{Normalization::kSum, "acc"},
     {Normalization::kCharacter, "acc_char"},
     {Normalization::kByte, "acc_byte"},
     {Normalization::kToken, "acc_token"}}};

/// What decides: the log-likelihood, divided by the size that the normalisation names.
[[nodiscard]] double normalized(const ChoiceScore& score, Normalization normalization);

struct Verdict {
  double credit = 0;      ///< 1/k if gold is among the k best, else 0
  std::int64_t best = 0;  ///< k: how many choices have exactly the best score
};

[[nodiscard]] Verdict judge(std::span<const ChoiceScore> scores, std::int64_t gold,
                            Normalization normalization);

/// acc, acc_char, acc_byte, acc_token (Wilson intervals, sample SD / sqrt n), ties (samples whose
/// best log-likelihood is shared), margin (mean of log-likelihood of gold minus the best other,
/// nats), gold_bits_per_byte; then acc of each category as "acc/<category>".
/// Only samples that are kOk count.
[[nodiscard]] std::vector<MetricValue> summarize_choices(std::span<const SampleScore> scores);

}  // namespace yardstick::tasks
