// One draw against the closed form. Limits of the chi-square statistic: its 99.9 % quantiles as
// printed in NIST/SEMATECH's e-Handbook of Statistical Methods, 1.3.6.7.4.
#include "models/engine/sampling.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace yardstick::models {
namespace {

constexpr std::int64_t kDraws = 20000;
constexpr double kLimits[] = {0, 10.828, 13.816, 16.266, 18.467, 20.515};  // by degrees of freedom

std::vector<float> logs(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p) + 3.0));
  return logits;
}

/// Asserts that draws have these weights, up to a factor; a weight of 0 is never drawn.
void expect_weights(const std::vector<float>& logits, const Sampling& sampling,
                    const std::vector<double>& weights) {
  std::vector<std::int64_t> counts(logits.size());
  for (std::int64_t step = 0; step < kDraws; ++step)
    ++counts.at(static_cast<std::size_t>(draw_token(logits, {.sampling = sampling, .step = step})));
  double total = 0;
  for (const double weight : weights) total += weight;
  double chi_square = 0;
  int degrees = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double expected = static_cast<double>(kDraws) * weights[i] / total;
    if (expected == 0) {
      EXPECT_EQ(counts[i], 0) << "token " << i;
      continue;
    }
    const double off = static_cast<double>(counts[i]) - expected;
    chi_square += off * off / expected;
    ++degrees;
  }
  EXPECT_LE(chi_square, kLimits[degrees]);
}

TEST(Sampling, ATemperatureDividesTheLogits) {
  const std::vector<double> p = {0.05, 0.3, 0.1, 0.25, 0.1, 0.2};
  expect_weights(logs(p), {.temperature = 1, .seed = 1}, p);
  std::vector<double> squares;
  for (const double x : p) squares.push_back(x * x);  // softmax(2 log p)
  expect_weights(logs(p), {.temperature = 0.5, .seed = 2}, squares);
}

TEST(Sampling, TopKKeepsTheLikeliest) {
  const std::vector<double> p = {0.05, 0.3, 0.1, 0.25, 0.1, 0.2};
  expect_weights(logs(p), {.temperature = 1, .top_k = 3, .seed = 3}, {0, 0.3, 0, 0.25, 0, 0.2});
  expect_weights(logs(p), {.temperature = 1, .top_k = 100, .seed = 3}, p);
}

TEST(Sampling, TopPKeepsTheShortestRunThatReachesIt) {
  const std::vector<double> p = {0.1, 0.4, 0.2, 0.3};
  expect_weights(logs(p), {.temperature = 1, .top_p = 0.65, .seed = 4}, {0, 0.4, 0, 0.3});
  expect_weights(logs(p), {.temperature = 1, .top_p = 0.75, .seed = 5}, {0, 0.4, 0.2, 0.3});
  expect_weights(logs(p), {.temperature = 1, .top_p = 1e-9, .seed = 6}, {0, 1, 0, 0});
}

TEST(Sampling, TopPSeesWhatTheTemperatureAndTopKLeft) {
  const std::vector<double> p = {0.1, 0.4, 0.2, 0.3};
  // Of the three likeliest, 0.4 and 0.3 are 0.78; of all four they are only 0.7.
  expect_weights(logs(p), {.temperature = 1, .top_k = 3, .top_p = 0.75, .seed = 7},
                 {0, 0.4, 0, 0.3});
  // At temperature 2 the two likeliest have 0.61; at 1 they have 0.7.
  expect_weights(logs(p), {.temperature = 2, .top_p = 0.65, .seed = 8},
                 {0, std::sqrt(0.4), std::sqrt(0.2), std::sqrt(0.3)});
}

TEST(Sampling, OfEqualLogitsTheLowerIdsAreKept) {
  const std::vector<float> logits = {1, 2, 2, 2, 2};
  expect_weights(logits, {.temperature = 1, .top_k = 2, .seed = 9}, {0, 1, 1, 0, 0});
  expect_weights(logits, {.temperature = 0.01, .top_p = 0.5, .seed = 10}, {0, 1, 1, 0, 0});
}

TEST(Sampling, OneCandidateOrNoTemperatureIsTheFirstOfTheLargest) {
  const std::vector<float> logits = {-3, 5, 4.9F, 5, 1};
  for (std::int64_t step = 0; step < 200; ++step) {
    EXPECT_EQ(draw_token(logits, {.sampling = {.temperature = 3, .top_k = 1}, .step = step}), 1);
    const Sampling cold{.temperature = 1e-300};
    const TokenId drawn = draw_token(logits, {.sampling = cold, .step = step});
    EXPECT_TRUE(drawn == 1 || drawn == 3);
  }
  EXPECT_FALSE(draw_of({.temperature = 0, .top_k = 5, .top_p = 0.5}, 3).has_value());
}

TEST(Sampling, ADrawIsAPureFunctionOfSeedStepAndLogits) {
  const std::vector<float> logits(1000, 0.0F);
  const auto first = [&](std::uint64_t seed) {
    std::vector<TokenId> tokens;
    for (std::int64_t step = 0; step < 8; ++step)
      tokens.push_back(
          draw_token(logits, {.sampling = {.temperature = 1, .seed = seed}, .step = step}));
    return tokens;
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
  const std::vector<TokenId> tokens = first(1);
  EXPECT_GT(std::set<TokenId>(tokens.begin(), tokens.end()).size(), 5U);
}

}  // namespace
}  // namespace yardstick::models
