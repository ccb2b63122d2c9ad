// Initial weights: matched between models, and distributed as their sources say.
#include "models/train/initial.hpp"

#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "models/position/frequencies.hpp"

namespace yardstick::models {
namespace {

DecoderConfig fope_config(std::int64_t head_dim, std::int64_t heads, std::int64_t length) {
  DecoderConfig config;
  config.vocabulary = 50;
  config.width = 128;
  config.layers = 3;
  config.heads = heads;
  config.kv_heads = heads;
  config.head_dim = head_dim;
  config.mlp_width = 256;
  config.head = Head::kTied;
  position::PositionPlan& plan = config.position;
  plan.kind = position::Kind::kFope;
  plan.heads = heads;
  plan.kv_heads = heads;
  plan.head_dim = head_dim;
  plan.rotary_dims = head_dim;
  plan.training_length = length;
  plan.floor_frequency = 2.0 * std::numbers::pi / static_cast<double>(length);
  const position::FopeCounts counts = position::fope_counts(plan);
  plan.fope.input_count = counts.input;
  plan.fope.output_count = counts.output;
  return config;
}

double root_mean_square(const std::vector<float>& values) {
  double squares = 0.0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(InitialWeights, DependOnSeedAndNameOnly) {
  const DecoderConfig config = fope_config(64, 4, 128);
  DecoderConfig other = config;
  other.position = {};
  const DecoderTensor q{"layers.0.q.weight", {256, 128}};
  const DecoderTensor v{"layers.0.v.weight", {256, 128}};
  EXPECT_EQ(initial_values(q, config, 1), initial_values(q, other, 1));
  EXPECT_NE(initial_values(q, config, 1), initial_values(q, config, 2));
  EXPECT_NE(initial_values(q, config, 1), initial_values(v, config, 1));
}

TEST(InitialWeights, HaveTheDeclaredSpread) {
  const DecoderConfig config = fope_config(64, 4, 128);
  // 32768 draws: the root mean square is within 2 % (five standard deviations) of the spread.
  const double spread = 0.5 / std::sqrt(128.0);
  EXPECT_NEAR(root_mean_square(initial_values({"layers.0.q.weight", {256, 128}}, config, 1)),
              spread, 0.02 * spread);
  const double residual = 0.5 / std::sqrt(256.0) / std::sqrt(6.0);
  EXPECT_NEAR(root_mean_square(initial_values({"layers.0.down.weight", {128, 256}}, config, 1)),
              residual, 0.02 * residual);
  EXPECT_EQ(initial_values({"norm.weight", {4}}, config, 1), std::vector<float>(4, 1.0F));
}

TEST(InitialWeights, KeysStartAsQueriesAndOutputsAsTransposedValues) {
  DecoderConfig config = fope_config(64, 4, 128);
  config.kv_heads = 2;  // query heads 0 and 1 read key head 0
  const auto q = initial_values({"layers.1.q.weight", {256, 128}}, config, 1);
  const auto k = initial_values({"layers.1.k.weight", {128, 128}}, config, 1);
  const auto v = initial_values({"layers.1.v.weight", {128, 128}}, config, 1);
  const auto o = initial_values({"layers.1.o.weight", {128, 256}}, config, 1);
  for (std::size_t e = 0; e < 128; ++e) {
    EXPECT_EQ(k[70 * 128 + e], q[(2 * 64 + 6) * 128 + e]);  // key head 1 is query head 2
    // Column 3 of query head 1 reads row 3 of value head 0.
    EXPECT_FLOAT_EQ(o[e * 256 + 64 + 3], v[3 * 128 + e] / std::sqrt(6.0F));
  }
}

// Standard deviations of the FoPE paper's three models, from std = g sqrt(2 / (d (n + H))).
TEST(LayerParameters, HaveTheSpreadThatThePapersCodeGives) {
  struct Row {
    std::int64_t head_dim, heads, length;
    double gain;
    std::int64_t n, d;
    double std;
  };
  for (const Row& row :
       {Row{64, 8, 512, 0.3, 16, 16, 0.0217}, Row{64, 8, 1024, 0.3, 18, 16, 0.0208},
        Row{128, 8, 512, 0.4, 31, 31, 0.0163}, Row{128, 16, 1024, 0.6, 36, 32, 0.0208}}) {
    const DecoderConfig config = fope_config(row.head_dim, row.heads, row.length);
    ASSERT_EQ(config.position.fope.input_count, row.n);
    ASSERT_EQ(config.position.fope.output_count, row.d);
    const auto layers = initial_fope_coefficients(config, row.gain, 7);
    ASSERT_EQ(layers.size(), 3U);
    std::vector<float> noise = layers[0].sin;
    const std::int64_t step = (row.n + row.d - 1) / row.d;
    for (std::int64_t h = 0; h < row.heads; ++h) {
      for (std::int64_t i = 0; i < row.d && i * step < row.n; ++i) {
        noise[static_cast<std::size_t>((h * row.n + i * step) * row.d + i)] -= 1.0F;
      }
    }
    // At least 2048 draws: five standard deviations of the estimate are 8 %.
    EXPECT_NEAR(root_mean_square(noise), row.std, 0.08 * row.std);
  }
}

TEST(LayerParameters, DifferBetweenLayersHeadsAndWaves) {
  const auto layers = initial_fope_coefficients(fope_config(64, 4, 128), 0.3, 1);
  EXPECT_NE(layers[0].cos, layers[0].sin);
  EXPECT_NE(layers[0].cos, layers[1].cos);
  const std::size_t matrix = layers[0].cos.size() / 4;
  EXPECT_NE(std::vector<float>(layers[0].cos.begin(), layers[0].cos.begin() + matrix),
            std::vector<float>(layers[0].cos.begin() + matrix, layers[0].cos.begin() + 2 * matrix));
}

}  // namespace
}  // namespace yardstick::models
