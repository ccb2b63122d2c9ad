// AdamW against the algorithm worked by hand on single numbers.
#include "models/train/adamw.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace yardstick::models {
namespace {

Parameter parameter_of(const std::vector<std::int64_t>& shape, float value) {
  return make_parameter("w", shape, {value});
}

/// Gives the loss g x w, whose gradient is g.
void set_gradient(const Parameter& parameter, double gradient) {
  parameter.weight.mul(gradient).sum().backward();
}

float value_of(const Parameter& parameter) { return parameter.weight.item<float>(); }

TEST(AdamW, TheFirstStepMovesByTheLearningRateAgainstTheGradient) {
  std::vector<Parameter> parameters{parameter_of({1}, 1.0F)};
  set_gradient(parameters[0], 0.25);
  EXPECT_DOUBLE_EQ(apply_adamw(parameters, {.step = 1, .learning_rate = 0.1, .clip_norm = 0.0}),
                   0.25);
  EXPECT_FLOAT_EQ(value_of(parameters[0]), 0.9F);
}

TEST(AdamW, TheSecondStepFollowsTheMoments) {
  std::vector<Parameter> parameters{parameter_of({1}, 1.0F)};
  const AdamWStep first{.step = 1, .learning_rate = 0.1, .clip_norm = 0.0};
  AdamWStep second = first;
  second.step = 2;
  set_gradient(parameters[0], 1.0);
  apply_adamw(parameters, first);
  set_gradient(parameters[0], -0.5);
  apply_adamw(parameters, second);
  const double m = (0.9 * 0.1 + 0.1 * -0.5) / (1.0 - 0.81);
  const double v = (0.95 * 0.05 + 0.05 * 0.25) / (1.0 - 0.9025);
  EXPECT_NEAR(value_of(parameters[0]), 0.9 - 0.1 * m / std::sqrt(v), 1e-6);
}

TEST(AdamW, MatricesDecayAndVectorsDoNot) {
  std::vector<Parameter> parameters{parameter_of({1}, 2.0F), parameter_of({1, 1}, 2.0F)};
  for (const Parameter& parameter : parameters) set_gradient(parameter, 0.0);
  apply_adamw(parameters, {.step = 1, .learning_rate = 0.1, .weight_decay = 0.5});
  EXPECT_FLOAT_EQ(value_of(parameters[0]), 2.0F);
  EXPECT_FLOAT_EQ(value_of(parameters[1]), 1.9F);
}

TEST(AdamW, ClippingScalesAllGradientsTogether) {
  std::vector<Parameter> parameters{parameter_of({1}, 0.0F), parameter_of({1}, 0.0F)};
  set_gradient(parameters[0], 3.0);
  set_gradient(parameters[1], 4.0);
  EXPECT_DOUBLE_EQ(apply_adamw(parameters, {.step = 1, .learning_rate = 0.1, .clip_norm = 1.0}),
                   5.0);
  EXPECT_NEAR(parameters[0].first_moment.item<float>(), 0.1 * 0.6, 1e-7);
  EXPECT_NEAR(parameters[1].first_moment.item<float>(), 0.1 * 0.8, 1e-7);
}

TEST(AdamW, AGradientThatIsNotFiniteChangesNothing) {
  std::vector<Parameter> parameters{parameter_of({1}, 1.0F)};
  set_gradient(parameters[0], std::numeric_limits<double>::infinity());
  EXPECT_FALSE(std::isfinite(apply_adamw(parameters, {.step = 1, .learning_rate = 0.1})));
  EXPECT_EQ(value_of(parameters[0]), 1.0F);
}

}  // namespace
}  // namespace yardstick::models
