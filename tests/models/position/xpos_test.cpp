// arXiv 2212.10554: scores depend on the distance alone and decay with it.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using position::RotationQuery;

position::PositionPlan xpos_plan() {
  position::PositionPlan plan = rope_plan(8);
  plan.kind = position::Kind::kXpos;
  return plan;
}

Tables side(const position::Encoding& encoding, std::int64_t position, RotationQuery::Side which) {
  return fill(encoding, {.first_position = position, .count = 1, .side = which});
}

// With q = k = (1, 0) in each pair the score is zeta^(d / 512) cos(d f): by hand.
TEST(Xpos, AScoreIsADecayingCosineOfTheDistance) {
  const auto encoding = make_encoding(xpos_plan(), {});
  for (const auto& [query, key] : {std::pair{40, 0}, std::pair{1040, 1000}, std::pair{700, 188}}) {
    const Tables q = side(*encoding, query, RotationQuery::Side::kQuery);
    const Tables k = side(*encoding, key, RotationQuery::Side::kKey);
    for (std::size_t i = 0; i < 4; ++i) {
      const double distance = query - key;
      const double zeta = (static_cast<double>(i) / 4.0 + 0.4) / 1.4;
      const double frequency = std::pow(10000.0, -static_cast<double>(i) / 4.0);
      const double expected = std::pow(zeta, distance / 512.0) * std::cos(distance * frequency);
      const double found =
          double(q.cos[i]) * double(k.cos[i]) + double(q.sin[i]) * double(k.sin[i]);
      EXPECT_NEAR(found, expected, 1e-4) << query << " " << key << " pair " << i;
    }
  }
}

TEST(Xpos, LengthsBeyondF32AreNoSequences) {
  const auto encoding = make_encoding(xpos_plan(), {});
  ASSERT_TRUE(encoding->longest_sequence());
  const std::int64_t last = *encoding->longest_sequence() - 1;
  EXPECT_GT(last, 30'000);
  const Tables k = side(*encoding, last, RotationQuery::Side::kKey);
  for (const float value : k.cos) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace yardstick::test
