// The metrics of a cell of multiple-choice samples.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tasks/downstream/metric_list.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// What metric_list may ask of multiple choice.
[[nodiscard]] std::span<const KnownMetric> choice_metrics();

/// acc, acc_char, acc_byte, acc_token (Wilson intervals, sample SD / sqrt n), ties (samples whose
/// best log-likelihood is shared), margin (mean of the best right log-likelihood minus the best
/// wrong one, nats), gold_bits_per_byte; of what the samples have, acc_pmi and acc_pmi_ratio; of
/// what `chosen` names, exact_match, brier_score, f1 (class 1), f1_index0 (class 0) and mcc; then
/// acc of each category as "acc/<category>".
/// Only samples that are kOk count.
[[nodiscard]] std::vector<MetricValue> summarize_choices(std::span<const SampleScore> scores,
                                                         const ChosenMetrics& chosen,
                                                         std::uint64_t seed);

}  // namespace yardstick::tasks
