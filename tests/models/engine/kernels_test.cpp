// The CPU kernels: against f64 forms written here, and that a row's bits do not depend on the rows
// around it.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rows.hpp"

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
  matrix.multiply(x.data(), kCount, all.data());
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
      matrix.multiply(x.data() + first * columns, count, some.data());
      for (std::size_t i = 0; i < some.size(); ++i)
        ASSERT_EQ(some[i], all[size_t(first * rows) + i]) << count << " rows from " << first;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Product,
                         testing::Values(ProductShape{1, 1}, ProductShape{5, 3},
                                         ProductShape{32, 64}, ProductShape{33, 40},
                                         ProductShape{101, 172}, ProductShape{96, 300}));

TEST(Product, StacksItsParts) {
  const std::vector<float> first = normals("a", 3 * 8);
  const std::vector<float> second = normals("b", 40 * 8);
  const std::vector<float> x = normals("x", 2 * 8);
  const std::vector<std::span<const float>> both = {first, second};
  const kernels::PackedMatrix stacked(both, 8);
  std::vector<float> all(2 * 43);
  stacked.multiply(x.data(), 2, all.data());
  const kernels::PackedMatrix alone({both.data() + 1, 1}, 8);
  std::vector<float> part(2 * 40);
  alone.multiply(x.data(), 2, part.data());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(all[43 + 3 + i], part[40 + i]);
}

TEST(RowKernels, SiluAndGeluFollowTheirFormulas) {
  std::vector<float> gate_up;
  for (int i = -400; i <= 400; ++i) gate_up.push_back(static_cast<float>(i) * 0.07F);
  const auto width = std::ssize(gate_up);
  std::vector<float> gelu = gate_up;
  gate_up.insert(gate_up.end(), static_cast<std::size_t>(width), 0.5F);
  std::vector<float> out(static_cast<std::size_t>(width));
  kernels::silu_multiply(gate_up.data(), {1, width}, out.data());
  kernels::gelu(gelu.data(), {1, width});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = double(gate_up[i]);
    EXPECT_NEAR(out[i], 0.5 * x / (1 + std::exp(-x)), 3e-7 * (1 + std::abs(x))) << x;
    EXPECT_NEAR(gelu[i], x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))), 6e-7 * (1 + std::abs(x)))
        << x;
  }
}

TEST(RowKernels, RmsNormFollowsItsFormulaInRowsOfAnyWidth) {
  for (const std::int64_t width : {1, 7, 16, 40, 172}) {
    const std::vector<float> x = normals("norm", 3 * width, 2.0);
    const std::vector<float> weight = normals("weight", width);
    std::vector<float> out(x.size());
    kernels::rms_norm(x.data(), weight.data(), 1e-5, {3, width}, out.data());
    for (std::int64_t row = 0; row < 3; ++row) {
      double squares = 0;
      for (std::int64_t i = 0; i < width; ++i) squares += std::pow(x[size_t(row * width + i)], 2);
      const double scale = 1 / std::sqrt(squares / double(width) + 1e-5);
      for (std::int64_t i = 0; i < width; ++i) {
        const auto at = static_cast<std::size_t>(row * width + i);
        EXPECT_NEAR(out[at], double(x[at]) * scale * double(weight[size_t(i)]), 2e-6);
      }
    }
  }
}

TEST(RowKernels, RowLossIsTheLogOfTheSumAndTheSingleMaximum) {
  std::vector<float> logits = normals("logits", 77, 8.0);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double(logit));
  logits[40] = logits[12] = 25.0F;
  sum = 0;
  for (const float logit : logits) sum += std::exp(double(logit));
  kernels::RowLoss loss;
  kernels::row_losses(logits.data(), {1, 77}, 77, &loss);
  EXPECT_NEAR(loss.log_sum, std::log(sum), 1e-6);
  EXPECT_EQ(loss.best, 12);
  EXPECT_FALSE(loss.is_single);
  kernels::row_losses(logits.data(), {1, 77}, 40, &loss);
  EXPECT_TRUE(loss.is_single) << "logit 40 is no candidate among the first 40";
  EXPECT_NEAR(loss.log_sum, std::log(sum), 1e-6) << "but it takes part in the softmax";
}

TEST(RowKernels, EveryNumberThatIsNotFiniteIsNoticed) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t at : {0, 15, 16, 31, 36}) {
      std::vector<float> logits = normals("logits", 37);
      logits[at] = bad;
      kernels::RowLoss loss;
      kernels::row_losses(logits.data(), {1, 37}, 37, &loss);
      EXPECT_FALSE(loss.is_finite) << bad << " at " << at;
    }
  }
}

}  // namespace
}  // namespace yardstick::test
