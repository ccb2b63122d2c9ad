#include "models/train/schedule.hpp"

#include <cmath>
#include <numbers>

namespace yardstick::models {

double learning_rate(const TrainConfig& config, std::int64_t step) {
  if (step <= config.warmup_steps) {
    return config.learning_rate * static_cast<double>(step) /
           static_cast<double>(config.warmup_steps);
  }
  const auto cosine_steps = static_cast<double>(config.steps - config.warmup_steps);
  const double part = static_cast<double>(step - config.warmup_steps) / cosine_steps;
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * part));
  const double floor = config.final_learning_rate_ratio;
  return config.learning_rate * (floor + (1.0 - floor) * cosine);
}

}  // namespace yardstick::models
