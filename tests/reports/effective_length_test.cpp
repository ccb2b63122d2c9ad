#include "reports/effective_length.hpp"

#include <gtest/gtest.h>

namespace yardstick::reports {
namespace {

Curve curve_of(const std::vector<std::pair<std::int64_t, std::optional<double>>>& values) {
  Curve curve;
  for (const auto& [length, value] : values) {
    curve.points.push_back({.length = length,
                            .metric = {.name = "m", .value = value},
                            .note = "",
                            .cells_missing = {}});
  }
  return curve;
}

const Model kModel{.name = "m", .training_length = 512};
const Task kAccuracy{.name = "t", .headline = "accuracy", .meaning = tasks::kShareMeaning};
const Task kPerplexity{.name = "t", .headline = "perplexity", .meaning = tasks::kPerplexityMeaning};

std::string text(const Task& task, const Curve& curve) {
  const auto effective = effective_length(task, kModel, curve);
  return effective ? to_text(*effective, curve) : "none";
}

TEST(EffectiveLength, TheFirstFailureEndsTheCount) {
  // 85 % of 0.96 is 0.816: 1k passes with 0.82, 2k fails, 4k's success does not count.
  EXPECT_EQ(text(kAccuracy,
                 curve_of({{256, 0.90}, {512, 0.96}, {1024, 0.82}, {2048, 0.5}, {4096, 0.95}})),
            "1k");
}

TEST(EffectiveLength, AScoreThatHoldsIsCensoredAtTheLongestLength) {
  EXPECT_EQ(text(kAccuracy, curve_of({{512, 0.9}, {1024, 0.9}})), ">= 1k");
}

TEST(EffectiveLength, AModelThatCannotDoTheTaskHasNone) {
  EXPECT_EQ(text(kAccuracy, curve_of({{512, 0.0}, {1024, 0.0}})), "< 512");
}

TEST(EffectiveLength, PerplexityIsHeldAgainstTheTrainingLength) {
  // Short windows have less context: their higher perplexity is no failure.
  EXPECT_EQ(text(kPerplexity, curve_of({{128, 30.0}, {512, 20.0}, {1024, 20.9}, {2048, 21.1}})),
            "1k");
}

TEST(EffectiveLength, AMissingValueCountsAsAFailure) {
  EXPECT_EQ(text(kAccuracy, curve_of({{512, 0.9}, {1024, std::nullopt}, {2048, 0.9}})), "512");
  EXPECT_EQ(text(kAccuracy, curve_of({{512, std::nullopt}})), "none");
}

}  // namespace
}  // namespace yardstick::reports
