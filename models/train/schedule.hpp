// Learning rate by step: linear warm-up, then a cosine down to a floor (Loshchilov & Hutter 2017,
// arXiv 1608.03983, eq. 5 without restarts).
#pragma once

#include <cstdint>

#include "models/train/config.hpp"

namespace yardstick::models {

/// The rate of step `step`, counted from 1. Reaches its peak at the last step of the warm-up and
/// final_learning_rate_ratio times the peak at the last step.
[[nodiscard]] double learning_rate(const TrainConfig& config, std::int64_t step);

}  // namespace yardstick::models
