// The learning-rate schedule at its corners, from the closed form.
#include "models/train/schedule.hpp"

#include <gtest/gtest.h>

namespace yardstick::models {
namespace {

TEST(Schedule, RisesToItsPeakAndFallsToItsFloor) {
  TrainConfig config;
  config.steps = 1100;
  config.warmup_steps = 100;
  config.learning_rate = 1e-2;
  config.final_learning_rate_ratio = 0.1;
  EXPECT_DOUBLE_EQ(learning_rate(config, 1), 1e-4);
  EXPECT_DOUBLE_EQ(learning_rate(config, 100), 1e-2);
  EXPECT_NEAR(learning_rate(config, 600), 5.5e-3, 1e-12);  // half-way: the mean of peak and floor
  EXPECT_NEAR(learning_rate(config, 1100), 1e-3, 1e-12);
}

}  // namespace
}  // namespace yardstick::models
