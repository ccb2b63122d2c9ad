// Sampled generation through the engine: the draws follow the model's own logits, and a sequence
// does not depend on what is generated beside it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/engine/tiny_model.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::Engine;
using models::Weights;
using position::Kind;
using testing::HasSubstr;

Request sampled(const std::string& purpose, std::int64_t length, const Sampling& sampling) {
  return {.tokens = random_tokens(purpose, length, 101),
          .score_from = length,
          .max_new_tokens = 7,
          .sampling = sampling};
}

/// Several requests behind one prompt, among them two that are equal, and some behind others.
std::vector<Request> mixed_requests() {
  return {sampled("a", 20, {}),
          sampled("a", 20, {.temperature = 1, .seed = 1}),
          sampled("b", 9, {.temperature = 0.7, .top_k = 10, .seed = 1}),
          sampled("a", 20, {.temperature = 1, .seed = 2}),
          sampled("a", 20, {.temperature = 1, .seed = 1}),
          sampled("c", 33, {.temperature = 1.5, .top_p = 0.8, .seed = 3}),
          sampled("a", 20, {.temperature = 2, .top_k = 20, .top_p = 0.9, .seed = 4})};
}

class AnyPositionsSampled : public testing::TestWithParam<TinyPositions> {
 protected:
  DecoderConfig config_ = GetParam().config();
  std::unique_ptr<Engine> engine_ = tiny_engine(config_, tiny_weights(config_));
};

INSTANTIATE_TEST_SUITE_P(Positions, AnyPositionsSampled, testing::ValuesIn(tiny_positions()),
                         [](const testing::TestParamInfo<TinyPositions>& test) {
                           return name_of(test.param);
                         });

TEST_P(AnyPositionsSampled, ASequenceIsBitwiseTheSameAloneAndInAnyCompany) {
  const std::vector<Request> requests = mixed_requests();
  const std::vector<Response> together = engine_->respond(requests, {});
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(engine_->respond({&requests[i], 1}, {}).front(), together[i]) << "request " << i;
  const std::vector<Request> reversed(requests.rbegin(), requests.rend());
  const std::vector<Response> backwards = engine_->respond(reversed, {});
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(backwards[requests.size() - 1 - i], together[i]) << "request " << i;
  EXPECT_EQ(together[1], together[4]) << "the same request twice";
  EXPECT_NE(together[1].generated, together[3].generated) << "another seed";
  EXPECT_NE(together[1].generated, together[0].generated) << "greedy";
}

class AnyStackSampled : public testing::TestWithParam<PositionsAndStack> {
 protected:
  DecoderConfig config_ = std::get<0>(GetParam()).config();
  std::unique_ptr<Engine> engine_ =
      tiny_engine(config_, tiny_weights(config_), {}, std::get<1>(GetParam()));
};

INSTANTIATE_TEST_SUITE_P(Positions, AnyStackSampled,
                         testing::Combine(testing::ValuesIn(tiny_positions()),
                                          testing::ValuesIn(tiny_stacks())),
                         [](const auto& test) { return name_of(test.param); });

TEST_P(AnyStackSampled, TheLossIsTheModelsOwn) {
  const Request request =
      sampled("loss", 20, {.temperature = 1.7, .top_k = 30, .top_p = 0.9, .seed = 5});
  const Response response = engine_->respond({&request, 1}, {}).front();
  Request check{.tokens = request.tokens, .score_from = 20};
  check.tokens.insert(check.tokens.end(), response.generated.begin(), response.generated.end());
  const Response scored = engine_->respond({&check, 1}, {}).front();
  ASSERT_EQ(response.generated_nll.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(scored.nll[i], response.generated_nll[i], 2e-5) << i;
}

TEST_P(AnyStackSampled, OneCandidateAndNoTemperatureAreGreedy) {
  const std::vector<Request> requests = {
      sampled("g", 20, {}), sampled("g", 20, {.temperature = 1e-6, .seed = 1}),
      sampled("g", 20, {.temperature = 2, .top_k = 1, .seed = 2}),
      sampled("g", 20, {.temperature = 1, .top_p = 1e-9, .seed = 3}),
      sampled("g", 20, {.temperature = 0, .top_k = 50, .top_p = 0.5, .seed = 4})};
  const std::vector<Response> responses = engine_->respond(requests, {});
  for (std::size_t i = 1; i < responses.size(); ++i)
    EXPECT_EQ(responses[i].generated, responses[0].generated) << "request " << i;
}

class Draws : public testing::TestWithParam<TinyStack> {};

INSTANTIATE_TEST_SUITE_P(Stacks, Draws, testing::ValuesIn(tiny_stacks()),
                         [](const testing::TestParamInfo<TinyStack>& test) {
                           return name_of(test.param);
                         });

// Over seeds, not over steps: 4,000 first tokens, five candidates. 18.467 is the 99.9 % quantile of
// chi-square with 4 degrees of freedom.
TEST_P(Draws, FollowTheModelsLogits) {
  const DecoderConfig config = tiny_config(Kind::kRope);
  const std::unique_ptr<Engine> engine = tiny_engine(config, tiny_weights(config), {}, GetParam());
  std::vector<Request> requests;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    requests.push_back(sampled("d", 12, {.temperature = 3, .top_k = 5, .seed = seed}));
    requests.back().max_new_tokens = 1;
  }
  std::vector<double> counts(101);
  for (const Response& response : engine->respond(requests, {}))
    counts.at(static_cast<std::size_t>(response.generated.at(0))) += 1;
  std::vector<std::pair<double, std::size_t>> ranked;
  engine->logits(requests.front().tokens, [&](std::int64_t first, std::span<const float> rows) {
    ASSERT_EQ(first, 0) << "the prompt is one chunk";
    for (std::size_t id = 0; id < 101; ++id) ranked.emplace_back(rows[rows.size() - 101 + id], id);
  });
  std::ranges::sort(ranked, std::greater<>());
  double total = 0;
  for (std::size_t i = 0; i < 5; ++i) total += std::exp(ranked[i].first / 3);
  double chi_square = 0;
  double seen = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double expected = 4000 * std::exp(ranked[i].first / 3) / total;
    const double count = counts[ranked[i].second];
    chi_square += (count - expected) * (count - expected) / expected;
    seen += count;
  }
  EXPECT_EQ(seen, 4000) << "only the five likeliest are drawn";
  EXPECT_LT(chi_square, 18.467);
}

TEST(SampledGeneration, ValuesOutsideTheirRangesAreRefused) {
  const DecoderConfig config = tiny_config(Kind::kNone);
  const std::unique_ptr<Engine> engine = tiny_engine(config, tiny_weights(config));
  const auto message = [&](const Sampling& sampling) {
    const std::vector<Request> requests = {sampled("ok", 3, {}), sampled("bad", 3, sampling)};
    return error_message([&] { static_cast<void>(engine->respond(requests, {})); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message({.temperature = -0.5}),
              testing::AllOf(HasSubstr("request 2 of 2"), HasSubstr("temperature is -0.5")));
  EXPECT_THAT(message({.temperature = kNan}), HasSubstr("temperature is nan"));
  EXPECT_THAT(message({.temperature = std::numeric_limits<double>::infinity()}),
              HasSubstr("temperature is inf"));
  EXPECT_THAT(message({.temperature = 1, .top_k = -1}), HasSubstr("top_k is -1"));
  EXPECT_THAT(message({.temperature = 1, .top_p = 0}), HasSubstr("top_p is 0"));
  EXPECT_THAT(message({.temperature = 1, .top_p = 1.01}), HasSubstr("top_p is 1.01"));
  EXPECT_THAT(message({.temperature = 1, .top_p = kNan}), HasSubstr("top_p is nan"));
}

}  // namespace
}  // namespace yardstick::test
