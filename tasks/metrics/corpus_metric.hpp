// Metrics of a whole corpus from counts that its samples store: BLEU and chrF.
#pragma once

#include <memory>
#include <string>

#include "tasks/metrics/generation_metrics.hpp"

namespace yardstick::tasks {

/// 0..100. Values of a sample: NAME/match_N, NAME/total_N (N = 1..4), NAME/prediction_length,
/// NAME/reference_length.
[[nodiscard]] std::unique_ptr<const GenerationMetric> make_bleu_metric(
    std::string name, Task::Headline::Better better);

/// 0..100. Values of a sample: NAME/predicted_N, NAME/expected_N, NAME/match_N (N = 1..6).
[[nodiscard]] std::unique_ptr<const GenerationMetric> make_chrf_metric(
    std::string name, Task::Headline::Better better);

}  // namespace yardstick::tasks
