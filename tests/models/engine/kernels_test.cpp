// The CPU kernels: against f64 forms written here, and that a row's bits do not depend on the rows
// around it.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "models/kernels/key_value_pages.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rows.hpp"
#include "models/kernels/tile.hpp"
#include "models/kernels/vector_level.hpp"
#include "models/kernels/vocabulary.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

namespace kernels = models::kernels;

std::vector<float> normals(const char* purpose, std::int64_t count, double scale = 1.0) {
  Random random(3, purpose);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(scale * random.normal()));
  return values;
}

struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

class Product : public testing::TestWithParam<ProductShape> {};

TEST_P(Product, EqualsTheDefinitionAndIgnoresNeighbouringRows) {
  const auto [rows, columns] = GetParam();
  constexpr std::int64_t kCount = 61;
  const std::vector<float> weight = normals("w", rows * columns);
  const std::vector<float> x = normals("x", kCount * columns);
  const std::span<const float> part(weight);
  const kernels::PackedMatrix matrix({&part, 1}, columns);
  std::vector<float> all(static_cast<std::size_t>(kCount * rows));
  matrix.multiply({x.data(), kCount, columns}, {all.data(), kCount, rows});
  for (std::int64_t i = 0; i < kCount; ++i) {
    for (std::int64_t n = 0; n < rows; ++n) {
      double expected = 0;
      for (std::int64_t k = 0; k < columns; ++k)
        expected += double(x[size_t(i * columns + k)]) * double(weight[size_t(n * columns + k)]);
      ASSERT_NEAR(all[size_t(i * rows + n)], expected, 3e-6 * double(columns)) << i << "," << n;
    }
  }
  for (const std::int64_t count : {1, 2, 3, 5, 6, 7, 12, 13, 30}) {
    std::vector<float> some(static_cast<std::size_t>(count * rows));
    for (std::int64_t first = 0; first + count <= kCount; first += 11) {
      matrix.multiply({x.data() + first * columns, count, columns}, {some.data(), count, rows});
      for (std::size_t i = 0; i < some.size(); ++i)
        ASSERT_EQ(some[i], all[size_t(first * rows) + i]) << count << " rows from " << first;
    }
  }
}

TEST_P(Product, AddsToWhatIsThereAndReadsItsRowsBack) {
  const auto [rows, columns] = GetParam();
  const std::vector<float> weight = normals("w", rows * columns);
  const std::vector<float> x = normals("x", 7 * columns);
  const std::vector<float> before = normals("out", 7 * rows);
  const std::span<const float> part(weight);
  const kernels::PackedMatrix matrix({&part, 1}, columns);
  std::vector<float> out = before;
  matrix.multiply_add({x.data(), 7, columns}, {out.data(), 7, rows});
  for (std::int64_t i = 0; i < 7; ++i) {
    for (std::int64_t n = 0; n < rows; ++n) {
      auto expected = double(before[size_t(i * rows + n)]);
      for (std::int64_t k = 0; k < columns; ++k)
        expected += double(x[size_t(i * columns + k)]) * double(weight[size_t(n * columns + k)]);
      ASSERT_NEAR(out[size_t(i * rows + n)], expected, 3e-6 * double(columns + 1)) << i << "," << n;
    }
  }
  std::vector<float> row(static_cast<std::size_t>(columns));
  for (std::int64_t n = 0; n < rows; ++n) {
    matrix.copy_row(n, row.data());
    for (std::int64_t k = 0; k < columns; ++k)
      ASSERT_EQ(row[size_t(k)], weight[size_t(n * columns + k)]) << n << "," << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Product,
                         testing::Values(ProductShape{1, 1}, ProductShape{5, 3},
                                         ProductShape{32, 64}, ProductShape{33, 40},
                                         ProductShape{101, 172}, ProductShape{96, 300},
                                         ProductShape{20, 1100}));

TEST(Product, OfRoundedWeightsIsThatOfWeightsThatWereRoundedBefore) {
  // The nearest of 8 significant bits, ties to even, from the definition.
  const auto rounded = [](float x) {
    const int exponent = std::ilogb(x);
    const double unit = std::ldexp(1.0, exponent - 7);
    return static_cast<float>(std::nearbyint(double(x) / unit) * unit);
  };
  const std::vector<float> weight = normals("w", 50 * 600);
  std::vector<float> coarse;
  for (const float w : weight) coarse.push_back(rounded(w));
  const std::vector<float> x = normals("x", 13 * 600);
  const auto product = [&](const std::vector<float>& weights, kernels::WeightStorage storage) {
    const std::span<const float> part(weights);
    const kernels::PackedMatrix matrix({&part, 1}, 600, storage);
    std::vector<float> out(13 * 50);
    matrix.multiply({x.data(), 13, 600}, {out.data(), 13, 50});
    return out;
  };
  using enum kernels::WeightStorage;
  EXPECT_EQ(product(weight, kBFloat16), product(coarse, kFloat32));
  EXPECT_EQ(product(coarse, kBFloat16), product(coarse, kFloat32));
  EXPECT_NE(product(weight, kBFloat16), product(weight, kFloat32));
}

TEST(Product, StacksItsParts) {
  const std::vector<float> first = normals("a", 3 * 8);
  const std::vector<float> second = normals("b", 40 * 8);
  const std::vector<float> x = normals("x", 2 * 8);
  const std::vector<std::span<const float>> both = {first, second};
  const kernels::PackedMatrix stacked(both, 8);
  std::vector<float> all(2 * 43);
  stacked.multiply({x.data(), 2, 8}, {all.data(), 2, 43});
  const kernels::PackedMatrix alone({both.data() + 1, 1}, 8);
  std::vector<float> part(2 * 40);
  alone.multiply({x.data(), 2, 8}, {part.data(), 2, 40});
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(all[43 + 3 + i], part[40 + i]);
}

TEST(RowKernels, NormsFollowTheirFormulasInRowsOfAnyWidth) {
  for (const std::int64_t width : {1, 7, 16, 40, 172}) {
    const std::vector<float> x = normals("norm", 3 * width, 2.0);
    const std::vector<float> weight = normals("weight", width);
    const std::vector<float> bias = normals("bias", width);
    const kernels::NormWeights weights{weight.data(), bias.data(), 1e-5};
    std::vector<float> rms(x.size());
    std::vector<float> layer(x.size());
    kernels::rms_norm({x.data(), 3, width}, width, weights, {rms.data(), 3, width});
    kernels::layer_norm({x.data(), 3, width}, width, weights, {layer.data(), 3, width});
    for (std::int64_t row = 0; row < 3; ++row) {
      double sum = 0;
      double squares = 0;
      for (std::int64_t i = 0; i < width; ++i) sum += double(x[size_t(row * width + i)]);
      for (std::int64_t i = 0; i < width; ++i) squares += std::pow(x[size_t(row * width + i)], 2);
      const double mean = sum / double(width);
      double variance = 0;
      for (std::int64_t i = 0; i < width; ++i)
        variance += std::pow(double(x[size_t(row * width + i)]) - mean, 2) / double(width);
      for (std::int64_t i = 0; i < width; ++i) {
        const auto at = static_cast<std::size_t>(row * width + i);
        const double w = double(weight[size_t(i)]);
        const double b = double(bias[size_t(i)]);
        EXPECT_NEAR(rms[at], double(x[at]) / std::sqrt(squares / double(width) + 1e-5) * w + b,
                    4e-6);
        EXPECT_NEAR(layer[at], (double(x[at]) - mean) / std::sqrt(variance + 1e-5) * w + b, 1e-5);
      }
    }
  }
}

TEST(RowKernels, ClampKeepsNaN) {
  std::vector<float> x{-3, -1, 0, 2, 5, std::numeric_limits<float>::quiet_NaN()};
  kernels::clamp({x.data(), 1, 6}, 6, 2.5F);
  const std::vector<float> limited{-2.5F, -1, 0, 2, 2.5F};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(x[i], limited[i]);
  EXPECT_TRUE(std::isnan(x[5]));
}

TEST(RowKernels, SoftCapFollowsItsFormulaAndKeepsNaN) {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.0371F);
  for (int i = -30; i < 5; ++i) x.push_back(std::ldexp(1.7F, i));
  std::vector<float> capped = x;
  const auto width = std::ssize(x);
  kernels::soft_cap({capped.data(), 1, width}, width, 30.0F);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = 30 * std::tanh(double(x[i]) / 30);
    EXPECT_NEAR(capped[i], expected, 4e-7 * std::abs(expected)) << x[i];
    float alone = x[i];
    kernels::soft_cap({&alone, 1, 1}, 1, 30.0F);
    EXPECT_EQ(alone, capped[i]) << "a number alone has the bits that it has in a row";
  }
  float odd[] = {std::numeric_limits<float>::infinity(), -1e30F,
                 std::numeric_limits<float>::quiet_NaN()};
  kernels::soft_cap({odd, 1, 3}, 3, 30.0F);
  EXPECT_EQ(odd[0], 30.0F);
  EXPECT_EQ(odd[1], -30.0F);
  EXPECT_TRUE(std::isnan(odd[2]));
}

TEST(RowKernels, ScaledRowsAreAdded) {
  const std::vector<float> added = normals("added", 2 * 40);
  const std::vector<float> before = normals("x", 2 * 50);
  std::vector<float> x = before;
  kernels::add_scaled({added.data(), 2, 40}, 37, -0.25F, {x.data(), 2, 50});
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t i = 0; i < 50; ++i) {
      const float expected =
          before[row * 50 + i] - 0.25F * added[row * 40 + std::min(i, size_t{36})];
      EXPECT_EQ(x[row * 50 + i], i < 37 ? expected : before[row * 50 + i]) << row << "," << i;
    }
  }
}

/// The loss of rows whose logits are given: a projection of one number to all of them.
kernels::RowLoss loss_of(const std::vector<float>& logits, std::int64_t target,
                         std::int64_t candidates) {
  const std::span<const float> part(logits);
  const kernels::PackedMatrix matrix({&part, 1}, 1);
  const float one = 1;
  kernels::RowLoss loss;
  kernels::vocabulary_losses({.matrix = &matrix}, {&one, 1, 1}, {&target, 1}, candidates,
                             {&loss, 1});
  return loss;
}

TEST(Vocabulary, LossIsTheLogOfTheSumAndTheSingleMaximum) {
  for (const std::size_t width : {77, 512, 513, 1700}) {
    std::vector<float> logits = normals("logits", std::int64_t(width), 8.0);
    logits[12] = logits[width - 2] = 45.0F;
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double(logit));
    const auto all = static_cast<std::int64_t>(width);
    kernels::RowLoss loss = loss_of(logits, all - 1, all);
    EXPECT_NEAR(loss.log_sum, std::log(sum), 1e-6);
    EXPECT_EQ(loss.best, 12);
    EXPECT_EQ(loss.best_logit, 45.0F);
    EXPECT_EQ(loss.target_logit, logits.back());
    EXPECT_FALSE(loss.is_single);
    loss = loss_of(logits, -1, all - 2);
    EXPECT_TRUE(loss.is_single) << "the last but one is no candidate";
    EXPECT_EQ(loss.best, 12);
    EXPECT_NEAR(loss.log_sum, std::log(sum), 1e-6) << "but it takes part in the softmax";
  }
}

TEST(Vocabulary, LossesFollowTheDefinitionWhateverTheRowsAround) {
  constexpr std::int64_t kVocabulary = 1200;
  constexpr std::int64_t kWidth = 24;
  constexpr std::int64_t kRows = 131;
  const std::vector<float> weight = normals("w", kVocabulary * kWidth);
  const std::vector<float> bias = normals("b", kVocabulary);
  const std::vector<float> x = normals("x", kRows * kWidth);
  const std::span<const float> part(weight);
  const kernels::PackedMatrix matrix({&part, 1}, kWidth);
  const kernels::VocabularyHead head{&matrix, bias.data(), 0.75F, 3.0F};
  std::vector<std::int64_t> targets;
  for (std::int64_t row = 0; row < kRows; ++row) targets.push_back(row * 9);
  std::vector<kernels::RowLoss> losses(kRows);
  kernels::vocabulary_losses(head, {x.data(), kRows, kWidth}, targets, kVocabulary, losses);
  for (std::int64_t row = 0; row < kRows; ++row) {
    double sum = 0;
    double target = 0;
    for (std::int64_t n = 0; n < kVocabulary; ++n) {
      auto logit = double(bias[size_t(n)]);
      for (std::int64_t k = 0; k < kWidth; ++k)
        logit += double(weight[size_t(n * kWidth + k)]) * double(x[size_t(row * kWidth + k)]);
      const double capped = 3 * std::tanh(0.75 * logit / 3);
      sum += std::exp(capped);
      if (n == row * 9) target = capped;
    }
    EXPECT_NEAR(losses[size_t(row)].log_sum, std::log(sum), 2e-5);
    EXPECT_NEAR(double(losses[size_t(row)].target_logit), target, 2e-5);
    kernels::RowLoss alone;
    kernels::vocabulary_losses(head, {x.data() + row * kWidth, 1, kWidth},
                               {targets.data() + row, 1}, kVocabulary, {&alone, 1});
    EXPECT_EQ(alone.log_sum, losses[size_t(row)].log_sum);
    EXPECT_EQ(alone.best, losses[size_t(row)].best);
    std::vector<float> logits(kVocabulary);
    kernels::vocabulary_logits(head, {x.data() + row * kWidth, 1, kWidth},
                               {logits.data(), 1, kVocabulary});
    EXPECT_EQ(logits[size_t(row * 9)], losses[size_t(row)].target_logit);
    EXPECT_EQ(logits[size_t(alone.best)], losses[size_t(row)].best_logit);
  }
}

TEST(Vocabulary, EveryNumberThatIsNotFiniteIsNoticed) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 15, 16, 600, 636}) {
      std::vector<float> logits = normals("logits", 637);
      logits[at] = bad;
      EXPECT_FALSE(loss_of(logits, 3, 637).is_finite) << bad << " at " << at;
    }
  }
}

// By hand: keys D and values D rounded up to whole panels, for each key head and token of whole
// pages. With AVX-512 (panels of 32) a token of 16 dims takes 1.5 times what it takes with AVX2.
TEST(Pages, TakeWholePanelsOfValues) {
  const kernels::HeadShape shape{.heads = 4, .kv_heads = 2, .head_dim = 16};
  EXPECT_EQ(kernels::KeyValuePages::floats(shape, 0, 64, 16), 64 * 2 * (16 + 16));
  EXPECT_EQ(kernels::KeyValuePages::floats(shape, 0, 64, 32), 64 * 2 * (16 + 32));
  EXPECT_EQ(kernels::KeyValuePages::floats(shape, 60, 5, 32), 2 * 64 * 2 * (16 + 32));
  const kernels::HeadShape two_versions{
      .heads = 4, .kv_heads = 2, .head_dim = 80, .key_versions = 2};
  EXPECT_EQ(kernels::KeyValuePages::floats(two_versions, 0, 64, 32), 64 * 2 * (160 + 96));
  EXPECT_EQ(kernels::KeyValuePages::floats(shape, 0, 64),
            kernels::KeyValuePages::floats(shape, 0, 64, kernels::tile_functions().columns));
}

TEST(VectorLevel, IsTheCpusOrOneThatItHas) {
  using kernels::VectorLevel;
  const auto refusal = [](std::string_view name, VectorLevel best) {
    return error_message([&] { (void)kernels::parse_vector_level(name, best); });
  };
  EXPECT_EQ(kernels::parse_vector_level("", VectorLevel::kAvx512), VectorLevel::kAvx512);
  EXPECT_EQ(kernels::parse_vector_level("avx2", VectorLevel::kAvx512), VectorLevel::kAvx2);
  EXPECT_EQ(kernels::parse_vector_level("avx2-wide", VectorLevel::kAvx2), VectorLevel::kAvx2Wide);
  EXPECT_EQ(kernels::parse_vector_level("portable", VectorLevel::kAvx2), VectorLevel::kPortable);
  EXPECT_THAT(refusal("avx512", VectorLevel::kAvx2),
              testing::HasSubstr("which this CPU does not have; it has 'avx2' at most"));
  EXPECT_THAT(refusal("avx2-wide", VectorLevel::kPortable), testing::HasSubstr("does not have"));
  EXPECT_THAT(refusal("AVX2", VectorLevel::kAvx512),
              testing::HasSubstr("expected portable, avx2, avx2-wide or avx512"));
}

}  // namespace
}  // namespace yardstick::test
