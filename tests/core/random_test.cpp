#include "core/random.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace yardstick {
namespace {

TEST(Random, SameStreamSameDraws) {
  Random one(7, "passkey", 3);
  Random two(7, "passkey", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.bits(), two.bits());
}

TEST(Random, SeedPurposeAndIndexMakeDifferentStreams) {
  const std::set<std::uint64_t> firsts{
      Random(7, "passkey", 3).bits(), Random(8, "passkey", 3).bits(),
      Random(7, "passkez", 3).bits(), Random(7, "passkey", 4).bits(), Random(7, "", 3).bits()};
  EXPECT_EQ(firsts.size(), 5U);
}

TEST(Random, BelowIsUniform) {
  // Chi-square with 9 degrees of freedom: 27.9 is the 0.1 % point, and the draws are fixed.
  Random random(1, "uniformity");
  std::array<int, 10> counts{};
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(10));
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / 10.0, 2) / (kDraws / 10.0);
  EXPECT_LT(chi_square, 27.9);
}

TEST(Random, BetweenIncludesBothEnds) {
  Random random(2, "ends");
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.between(-1, 1));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-1, 0, 1}));
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(3, "normal");
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = random.normal();
    sum += draw;
    squares += draw * draw;
  }
  EXPECT_NEAR(sum / kDraws, 0, 4 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 4 * std::sqrt(2.0 / kDraws));
}

TEST(Random, ShuffleKeepsAllItems) {
  std::vector<int> items(50);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  Random random(4, "shuffle");
  random.shuffle(std::span<int>(shuffled));
  EXPECT_NE(shuffled, items);
  EXPECT_EQ(std::set<int>(shuffled.begin(), shuffled.end()).size(), items.size());
}

TEST(Random, AnEmptyRangeIsAMistakeOfOurs) {
  Random random(5, "empty");
  EXPECT_THROW(static_cast<void>(random.below(0)), Error);
}

}  // namespace
}  // namespace yardstick
