// Biases by distance, by hand from their papers' formulas.
#include <array>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/position/encoding.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using position::Kind;
using position::LayerParameters;
using position::PositionPlan;
using ::testing::HasSubstr;

PositionPlan plan_of(Kind kind, std::int64_t heads = 2) {
  PositionPlan plan;
  plan.kind = kind;
  plan.heads = plan.kv_heads = heads;
  plan.head_dim = 4;
  return plan;
}

/// Biases of keys 0 .. query.
std::vector<float> biases(const position::Encoding& encoding, std::int64_t head,
                          std::int64_t query) {
  std::vector<float> out(static_cast<std::size_t>(query + 1));
  encoding.fill_bias({.layer = 0, .head = head, .query = query, .first_key = 0}, out);
  return out;
}

// arXiv 1910.10683's released code with 32 buckets up to 128: exact below 16, then logarithmic.
// Bucket borders by hand: 16 + floor(ln(d/16) / ln 8 x 16).
TEST(T5Bias, DistancesShareBuckets) {
  LayerParameters layer;
  std::vector<float>& table = layer.tensors["table"];
  for (int bucket = 0; bucket < 32; ++bucket) {
    table.push_back(static_cast<float>(bucket));  // head 0: the bucket itself
    table.push_back(static_cast<float>(-bucket));
  }
  const auto encoding = make_encoding(plan_of(Kind::kT5Bias), {layer});
  ASSERT_TRUE(encoding->has_bias(0));
  const std::vector<float> bias = biases(*encoding, 0, 300);
  const auto at = [&](std::size_t distance) { return bias[300 - distance]; };
  for (std::size_t d = 0; d < 16; ++d) EXPECT_EQ(at(d), static_cast<float>(d));
  EXPECT_EQ(at(16), 16.0F);
  EXPECT_EQ(at(18), 16.0F);  // 16 ln(18/16) / ln 8 = 0.906
  EXPECT_EQ(at(19), 17.0F);  // 1.322
  EXPECT_EQ(at(64), 26.0F);  // 10.67
  EXPECT_EQ(at(127), 31.0F);
  EXPECT_EQ(at(128), 31.0F);
  EXPECT_EQ(at(300), 31.0F);
  EXPECT_EQ(biases(*encoding, 1, 5).front(), -5.0F);
}

TEST(T5Bias, ATableOfAnotherSizeIsRefused) {
  LayerParameters layer;
  layer.tensors["table"] = {1.0F, 2.0F};
  EXPECT_THAT(error_message([&] { (void)make_encoding(plan_of(Kind::kT5Bias), {layer}); }),
              HasSubstr("'table' has 2 numbers; expected 64"));
}

// arXiv 2205.09921, eq. 5 and 6.
TEST(Kerple, BothFormsFollowTheFormula) {
  LayerParameters layer;
  layer.tensors["r1"] = {0.5F, 2.0F};
  layer.tensors["r2"] = {0.25F, 1.5F};
  PositionPlan plan = plan_of(Kind::kKerple);
  const auto logarithm = make_encoding(plan, {layer});
  plan.kerple.form = position::Kerple::Form::kPower;
  const auto power = make_encoding(plan, {layer});
  const std::array<std::array<double, 2>, 2> r = {{{0.5, 0.25}, {2.0, 1.5}}};
  for (std::int64_t head = 0; head < 2; ++head) {
    const auto [r1, r2] = r[static_cast<std::size_t>(head)];
    const std::vector<float> log_bias = biases(*logarithm, head, 40);
    const std::vector<float> power_bias = biases(*power, head, 40);
    for (std::size_t d = 0; d <= 40; ++d) {
      const double distance = static_cast<double>(d);
      EXPECT_FLOAT_EQ(log_bias[40 - d], static_cast<float>(-r1 * std::log(1.0 + r2 * distance)));
      EXPECT_FLOAT_EQ(power_bias[40 - d], static_cast<float>(-r1 * std::pow(distance, r2)));
    }
  }
}

TEST(Kerple, NumbersThatAreNotPositiveAreRefused) {
  LayerParameters layer;
  layer.tensors["r1"] = {0.5F, -2.0F};
  layer.tensors["r2"] = {0.25F, 1.5F};
  EXPECT_THAT(error_message([&] { (void)make_encoding(plan_of(Kind::kKerple), {layer}); }),
              HasSubstr("positive"));
}

// arXiv 2310.04418, eq. 7 to 9, with two hidden units of which one is off below 1/2.
TEST(Fire, TheDistanceIsRelativeToTheQuery) {
  LayerParameters layer;
  layer.tensors["c"] = {0.1F};
  layer.tensors["threshold"] = {8.0F};
  layer.tensors["in.weight"] = {1.0F, 2.0F};
  layer.tensors["in.bias"] = {0.0F, -1.0F};
  layer.tensors["out.weight"] = {1.0F, 3.0F, -1.0F, 0.5F};
  layer.tensors["out.bias"] = {0.25F, 0.0F};
  PositionPlan plan = plan_of(Kind::kFire);
  plan.fire.hidden_width = 2;
  const auto encoding = make_encoding(plan, {layer});
  const double c = 0.1F;
  for (const std::int64_t query : {3, 8, 50}) {
    const std::vector<float> first = biases(*encoding, 0, query);
    const std::vector<float> second = biases(*encoding, 1, query);
    for (std::int64_t key = 0; key <= query; ++key) {
      const double place = query < 8 ? 8.0 : static_cast<double>(query);
      const double x =
          std::log(c * static_cast<double>(query - key) + 1.0) / std::log(c * place + 1.0);
      const double unit = x > 0.5 ? 2.0 * x - 1.0 : 0.0;
      EXPECT_NEAR(first[static_cast<std::size_t>(key)], 0.25 + x + 3.0 * unit, 1e-6);
      EXPECT_NEAR(second[static_cast<std::size_t>(key)], -x + 0.5 * unit, 1e-6);
    }
  }
}

// Distances beyond the window count as the window (LM-Infinite).
TEST(AlibiWithReach, DistancesAreThoseOfTheReach) {
  PositionPlan plan = plan_of(Kind::kAlibi, 8);
  plan.reach = {.kind = position::ReachKind::kLambda, .window = 4, .sinks = 2};
  const auto encoding = make_encoding(plan, {});
  EXPECT_TRUE(encoding->bias_slopes(0).empty());
  std::array<float, 2> sinks{};
  encoding->fill_bias({.layer = 0, .head = 0, .query = 100, .first_key = 0}, sinks);
  EXPECT_EQ(sinks[0], -0.5F * 4.0F);  // slope of the first of 8 heads: 1/2
  EXPECT_EQ(sinks[1], -0.5F * 4.0F);
  std::array<float, 4> window{};
  encoding->fill_bias({.layer = 0, .head = 0, .query = 100, .first_key = 97}, window);
  EXPECT_THAT(window, testing::ElementsAre(-1.5F, -1.0F, -0.5F, -0.0F));
}

// bfloat16 keeps 8 bits: 257 becomes 256, 259 becomes 260 (ties to even: 258 stays).
TEST(FalconAlibi, KeysAndProductsAreRoundedToBfloat16) {
  PositionPlan plan = plan_of(Kind::kAlibi, 2);
  plan.alibi.form = position::Alibi::Form::kFalcon;
  const auto encoding = make_encoding(plan, {});
  std::array<float, 4> bias{};
  encoding->fill_bias({.layer = 0, .head = 0, .query = 300, .first_key = 256}, bias);
  // Slope of head 0 of 2: 2^-4; head_dim 4: halved.
  EXPECT_THAT(bias, testing::ElementsAre(8.0F, 8.0F, 258.0F / 32.0F, 260.0F / 32.0F));
}

TEST(Reach, MethodsThatMovePositionsNeedAnEncodingThatReadsThem) {
  for (const Kind kind : {Kind::kNone, Kind::kLearned, Kind::kSinusoidal}) {
    PositionPlan plan = plan_of(kind);
    plan.table_rows = 8;
    plan.reach = {.kind = position::ReachKind::kSelfExtend, .window = 4, .group = 2};
    EXPECT_THAT(error_message([&] { (void)make_encoding(plan, {}); }), HasSubstr("self_extend"));
  }
}

}  // namespace
}  // namespace yardstick::test
