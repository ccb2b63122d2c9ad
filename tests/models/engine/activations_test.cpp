// The CPU's activations against their formulas in f64.
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "models/kernels/activations.hpp"

namespace yardstick::test {
namespace {

namespace kernels = models::kernels;

struct Function {
  const char* name = "";
  kernels::Activate plain = nullptr;
  kernels::Activate gated = nullptr;
  double (*formula)(double) = nullptr;
};

double gelu_tanh(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"Silu", kernels::silu, kernels::silu_multiply,
       [](double x) { return x / (1 + std::exp(-x)); }},
      {"Gelu", kernels::gelu, kernels::gelu_multiply,
       [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"GeluTanh", kernels::gelu_tanh, kernels::gelu_tanh_multiply, gelu_tanh},
      {"Relu", kernels::relu, kernels::relu_multiply, [](double x) { return x > 0 ? x : 0; }},
      {"ReluSquared", kernels::relu_squared, kernels::relu_squared_multiply,
       [](double x) { return x > 0 ? x * x : 0; }},
  };
  return all;
}

class Activations : public testing::TestWithParam<std::size_t> {
 protected:
  const Function& function_ = functions()[GetParam()];

  static std::vector<float> numbers() {
    std::vector<float> x;
    for (int i = -1000; i <= 1000; ++i) x.push_back(static_cast<float>(i) * 0.0317F);
    for (int i = -20; i < 0; ++i) x.push_back(std::ldexp(-1.3F, i));
    return x;
  }
};

INSTANTIATE_TEST_SUITE_P(Functions, Activations, testing::Range(std::size_t{0}, functions().size()),
                         [](const testing::TestParamInfo<std::size_t>& test) {
                           return std::string(functions()[test.param].name);
                         });

TEST_P(Activations, FollowTheirFormulas) {
  std::vector<float> x = numbers();
  const std::vector<float> gate = x;
  const auto width = std::ssize(x);
  std::vector<float> plain(gate.size());
  function_.plain({x.data(), 1, width}, width, {plain.data(), 1, width});
  for (std::size_t i = 0; i < gate.size(); ++i) x.push_back(0.5F + static_cast<float>(i % 7));
  std::vector<float> gated(gate.size());
  function_.gated({x.data(), 1, 2 * width}, width, {gated.data(), 1, width});
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const auto at = double(gate[i]);
    const double expected = function_.formula(at);
    const double tolerance = 3e-7 * (1 + std::abs(at)) + 2e-7 * std::abs(expected);
    EXPECT_NEAR(plain[i], expected, tolerance) << at;
    const auto up = double(x[gate.size() + i]);
    EXPECT_NEAR(gated[i], expected * up, tolerance * up) << at;
  }
}

TEST_P(Activations, ANumberAloneHasTheBitsThatItHasInARow) {
  const std::vector<float> x = numbers();
  const auto width = std::ssize(x) / 2;
  std::vector<float> plain(x.size());
  function_.plain({x.data(), 2, width}, width, {plain.data(), 2, width});
  std::vector<float> gated(static_cast<std::size_t>(width));
  function_.gated({x.data(), 1, 2 * width}, width, {gated.data(), 1, width});
  for (std::int64_t i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float pair[] = {x[at], x[at + static_cast<std::size_t>(width)]};
    float alone = 0;
    function_.plain({pair, 1, 1}, 1, {&alone, 1, 1});
    EXPECT_EQ(alone, plain[at]) << x[at];
    function_.gated({pair, 1, 2}, 1, {&alone, 1, 1});
    EXPECT_EQ(alone, gated[at]) << x[at];
  }
}

TEST_P(Activations, KeepNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x(34, nan);
  std::vector<float> out(17);
  function_.plain({x.data(), 1, 17}, 17, {out.data(), 1, 17});
  for (const float y : out) EXPECT_TRUE(std::isnan(y));
  function_.gated({x.data(), 1, 34}, 17, {out.data(), 1, 17});
  for (const float y : out) EXPECT_TRUE(std::isnan(y));
}

}  // namespace
}  // namespace yardstick::test
