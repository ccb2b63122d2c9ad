// RoPE by its closed form (Su et al. 2021, sec. 3.2.2) and its properties; cases of users.md
// B-35, B-48 and of paper.md 5.2, claims 3 and 4.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using testing::Each;
using testing::HasSubstr;

TEST(Rope, FrequenciesArePowersOfTheBase) {
  const auto encoding = make_encoding(rope_plan(64), {});
  const std::vector<double> found = encoding->frequencies(0);
  ASSERT_EQ(found.size(), 32U);
  for (std::size_t i = 0; i < 32; ++i) {
    const double expected = std::pow(10000.0, -static_cast<double>(i) / 32.0);
    EXPECT_EQ(found[i], static_cast<double>(static_cast<float>(expected))) << i;
  }
}

TEST(Rope, AngleOfPosition1857DoesNotSlipToAWholeNumber) {
  // dim 32, base 1e4, pair 1: 1857 x 1e4^(-1/16) = 1044.26784 rad; half precision makes it 1045.
  const auto encoding = make_encoding(rope_plan(32), {});
  const Tables found = fill(*encoding, {.first_position = 1857, .count = 1});
  EXPECT_NEAR(found.cos[1], std::cos(1044.26784), 1e-4);
  EXPECT_NEAR(found.sin[1], std::sin(1044.26784), 1e-4);
}

TEST(Rope, RelativeDistanceDecidesTheScore) {
  const auto encoding = make_encoding(rope_plan(64), {});
  const std::vector<double> q = random_vector("q", 64);
  const std::vector<double> k = random_vector("k", 64);
  const Tables tables = fill(*encoding, {.count = 2048});
  for (const std::size_t distance : {0U, 1U, 7U, 100U}) {
    const double at_start = dot(rotate(q, tables, distance), rotate(k, tables, 0));
    for (const std::size_t shift : {1U, 64U, 500U, 1900U}) {
      const double shifted = dot(rotate(q, tables, distance + shift), rotate(k, tables, shift));
      // Angles near 2000 rad are rounded to 1.2e-4 rad; scores here are of size 8.
      EXPECT_NEAR(shifted, at_start, 5e-3) << "distance " << distance << ", shift " << shift;
    }
  }
}

TEST(Rope, LengthsOfVectorsStay) {
  const auto encoding = make_encoding(rope_plan(32), {});
  const Tables tables = fill(*encoding, {.first_position = 12345, .count = 1});
  const std::vector<double> q = random_vector("q", 32);
  const std::vector<double> turned = rotate(q, tables, 0);
  EXPECT_NEAR(dot(turned, turned), dot(q, q), 1e-5);
}

/// The largest error of the tables at one position, in radians, against f64 throughout.
double angle_error(const position::Encoding& encoding, std::int64_t position) {
  const Tables tables = fill(encoding, {.first_position = position, .count = 1});
  double largest = 0.0;
  for (std::size_t i = 0; i < tables.cos.size(); ++i) {
    const double exact =
        static_cast<double>(position) *
        std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(tables.cos.size()));
    const double found = std::atan2(tables.sin[i], tables.cos[i]);
    largest = std::max(largest, std::abs(std::remainder(found - exact, 2.0 * M_PI)));
  }
  return largest;
}

TEST(Rope, PrecisionFarOutIsThatOfAnF32Angle) {
  // An f32 frequency is within 3e-8 of itself and the product is rounded once more: together at
  // most position x 2^-23, e.g. 0.012 rad at 1e5 and 0.12 rad at 1e6. No further loss is allowed.
  const auto encoding = make_encoding(rope_plan(128), {});
  EXPECT_LE(angle_error(*encoding, 100'000), 100'000 * std::exp2(-23) + 1e-6);
  EXPECT_LE(angle_error(*encoding, 1'000'000), 1'000'000 * std::exp2(-23) + 1e-6);
}

TEST(Rope, TablesFarOutAreTheWavesOfTheF32Angle) {
  const auto encoding = make_encoding(rope_plan(128), {});
  const std::vector<double> frequencies = encoding->frequencies(0);
  for (const std::int64_t position : {100'000, 1'000'000, (1 << 24) + 1}) {
    const Tables found = fill(*encoding, {.first_position = position, .count = 1});
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const double angle = static_cast<float>(static_cast<double>(position) * frequencies[i]);
      EXPECT_EQ(found.cos[i], static_cast<float>(std::cos(angle))) << position << " pair " << i;
      EXPECT_EQ(found.sin[i], static_cast<float>(std::sin(angle))) << position << " pair " << i;
    }
  }
}

TEST(Rope, RowsDoNotDependOnWhereAChunkBegins) {
  const auto encoding = make_encoding(rope_plan(16), {});
  const Tables whole = fill(*encoding, {.count = 100});
  const Tables chunk = fill(*encoding, {.first_position = 37, .count = 20});
  EXPECT_TRUE(std::equal(chunk.cos.begin(), chunk.cos.end(), whole.cos.begin() + 37 * 8));
  EXPECT_TRUE(std::equal(chunk.sin.begin(), chunk.sin.end(), whole.sin.begin() + 37 * 8));
}

// Angles from 64-bit positions and f32 frequencies against f64: the rounding of the frequency
// alone.
TEST(Rope, FarPositionsKeepTheirAngles) {
  const auto encoding = make_encoding(rope_plan(128), {});
  for (const std::int64_t position : {100'000, 1'000'000}) {
    const Tables found = fill(*encoding, {.first_position = position, .count = 1});
    for (std::size_t i = 0; i < 64; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 128.0);
      // Half a unit of the last place of the frequency and of the angle in f32.
      const double bound = 1.3e-7 * angle + 1e-7;
      EXPECT_NEAR(found.cos[i], std::cos(angle), bound) << position << " pair " << i;
      EXPECT_NEAR(found.sin[i], std::sin(angle), bound) << position << " pair " << i;
    }
  }
}

TEST(Rope, PartialRotationUsesItsOwnDims) {
  position::PositionPlan plan = rope_plan(256);
  plan.rotary_dims = 64;
  const auto encoding = make_encoding(plan, {});
  EXPECT_EQ(encoding->rotation(0)->pairs, 32);
  EXPECT_EQ(encoding->frequencies(0), make_encoding(rope_plan(64), {})->frequencies(0));
}

TEST(Rope, OneTableServesAllHeadsAndLayers) {
  const position::RotationShape expected{.table_heads = 1, .pairs = 32};
  EXPECT_EQ(make_encoding(rope_plan(64), {})->rotation(0), expected);
}

TEST(Rope, ClampedFrequencyLeavesItsPairAlone) {
  position::PositionPlan plan = rope_plan(64);
  plan.floor_frequency = 2.0 * M_PI / 512;  // 16 of 32 survive: paper.md 5.2, claim 1
  const auto encoding = make_encoding(plan, {});
  const Tables found = fill(*encoding, {.first_position = 4000, .count = 1});
  for (std::size_t i = 16; i < 32; ++i) {
    EXPECT_EQ(found.cos[i], 1.0F);
    EXPECT_EQ(found.sin[i], 0.0F);
  }
  EXPECT_NE(found.cos[15], 1.0F);
}

TEST(Rope, FloorAboveEveryFrequencyIsNoEncoding) {
  position::PositionPlan plan = rope_plan(32);
  plan.floor_frequency = 1.5;
  const Tables found = fill(*make_encoding(plan, {}), {.first_position = 99, .count = 3});
  EXPECT_THAT(found.cos, Each(1.0F));
  EXPECT_THAT(found.sin, Each(0.0F));
}

TEST(Rope, FrequencyEqualToTheFloorSurvives) {
  position::PositionPlan plan = rope_plan(4);  // frequencies 1 and 0.01
  plan.floor_frequency = 0.01;                 // the same f32 number
  EXPECT_NE(make_encoding(plan, {})->frequencies(0)[1], 0.0);
  plan.floor_frequency = static_cast<double>(std::nextafter(0.01F, 1.0F));
  EXPECT_EQ(make_encoding(plan, {})->frequencies(0)[1], 0.0);
}

TEST(Rope, RefusesDimsAndBasesThatMakeNoSense) {
  position::PositionPlan plan = rope_plan(64);
  plan.rotary_dims = 7;
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("rotary_dims is 7; expected an even number from 2 to head_dim (64)"));
  plan = rope_plan(64);
  plan.rotary_dims = 66;
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }), HasSubstr("rotary_dims is 66"));
  plan = rope_plan(64);
  plan.theta = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }), HasSubstr("rope_theta is nan"));
}

}  // namespace
}  // namespace yardstick::test
