// Row-wise kernels: norm, activations and the vocabulary loss. Plain loops that the compiler
// vectorises, with one elementary function of our own, so that the vectorised middle and the
// scalar end of a row compute the same bits. Contraction to FMA is off for this file (see
// CMakeLists.txt): the clones below differ in width only.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "models/decoder/cpu_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define YARDSTICK_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define YARDSTICK_CLONES
#endif

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kSerialWork = 1 << 14;

/// e^x to 1e-7 relative on [-87.3, 88.3], clamped there; NaN stays NaN. The range reduction by
/// round(x log2 e) and the polynomial are those of Cephes' expf.
inline float exponential(float x) {
  x = x < -87.3F ? -87.3F : x;
  x = x > 88.3F ? 88.3F : x;
  const float shifter = 12582912.0F;  // 1.5 x 2^23: adding it rounds to an integer in the low bits
  const float shifted = x * 1.44269504F + shifter;
  const float n = shifted - shifter;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + exponent);
}

YARDSTICK_CLONES void norm_row(const float* x, const float* weight, double epsilon,
                               std::int64_t width, float* out) {
  float squares[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) squares[lane] += x[i + lane] * x[i + lane];
  }
  double sum = 0;
  for (const float square : squares) sum += static_cast<double>(square);
  for (; i < width; ++i) sum += static_cast<double>(x[i] * x[i]);
  const auto scale =
      static_cast<float>(1.0 / std::sqrt(sum / static_cast<double>(width) + epsilon));
  if (weight == nullptr) {
    for (i = 0; i < width; ++i) out[i] = x[i] * scale;
  } else {
    for (i = 0; i < width; ++i) out[i] = x[i] * scale * weight[i];
  }
}

YARDSTICK_CLONES void silu_multiply_row(const float* gate, const float* up, std::int64_t width,
                                        float* out) {
  for (std::int64_t i = 0; i < width; ++i)
    out[i] = gate[i] / (1.0F + exponential(-gate[i])) * up[i];
}

YARDSTICK_CLONES void gelu_run(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float z = std::fabs(x[i]) * 0.70710678F;
    const float t = 1.0F / (1.0F + 0.3275911F * z);
    float p = 1.061405429F;
    p = p * t - 1.453152027F;
    p = p * t + 1.421413741F;
    p = p * t - 0.284496736F;
    p = p * t + 0.254829592F;
    const float tail = p * t * exponential(-z * z);  // 1 - erf(z)
    x[i] = x[i] * (x[i] < 0 ? 0.5F * tail : 1.0F - 0.5F * tail);
  }
}

/// The largest of the logits (NaN aside), and the sum of 0 x logit: 0 unless one is not finite.
struct RowScan {
  float maximum = -std::numeric_limits<float>::infinity();
  float zero = 0;
};

YARDSTICK_CLONES RowScan scan_row(const float* x, std::int64_t count) {
  float maxima[kLanes];
  float zeros[kLanes] = {};
  std::fill_n(maxima, kLanes, -std::numeric_limits<float>::infinity());
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = x[i + lane];
      maxima[lane] = value > maxima[lane] ? value : maxima[lane];
      zeros[lane] += value * 0.0F;
    }
  }
  for (; i < count; ++i) {
    maxima[0] = x[i] > maxima[0] ? x[i] : maxima[0];
    zeros[0] += x[i] * 0.0F;
  }
  RowScan scan;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    scan.maximum = std::max(scan.maximum, maxima[lane]);
    scan.zero += zeros[lane];
  }
  return scan;
}

YARDSTICK_CLONES double sum_exponentials(const float* x, float maximum, std::int64_t count) {
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      sums[lane] += static_cast<double>(exponential(x[i + lane] - maximum));
  }
  double sum = 0;
  for (const double lane : sums) sum += lane;
  for (; i < count; ++i) sum += static_cast<double>(exponential(x[i] - maximum));
  return sum;
}

RowLoss row_loss(std::span<const float> logits, std::int64_t candidates) {
  const RowScan all = scan_row(logits.data(), std::ssize(logits));
  RowLoss loss;
  loss.is_finite = all.zero == 0.0F;
  if (!loss.is_finite) return loss;
  const double sum = sum_exponentials(logits.data(), all.maximum, std::ssize(logits));
  loss.log_sum = static_cast<double>(all.maximum) + std::log(sum);
  const auto choices = logits.first(static_cast<std::size_t>(candidates));
  const float best =
      candidates == std::ssize(logits) ? all.maximum : scan_row(choices.data(), candidates).maximum;
  const auto found = std::find(choices.begin(), choices.end(), best);
  loss.best = found - choices.begin();
  loss.is_single = std::find(found + 1, choices.end(), best) == choices.end();
  return loss;
}

}  // namespace

void rms_norm(const float* x, const float* weight, double epsilon, RowShape shape, float* out) {
  const bool parallel = shape.count * shape.width > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t row = 0; row < shape.count; ++row)
    norm_row(x + row * shape.width, weight, epsilon, shape.width, out + row * shape.width);
}

void silu_multiply(const float* gate_up, RowShape shape, float* out) {
  const bool parallel = shape.count * shape.width > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t row = 0; row < shape.count; ++row) {
    const float* gate = gate_up + row * 2 * shape.width;
    silu_multiply_row(gate, gate + shape.width, shape.width, out + row * shape.width);
  }
}

void gelu(float* x, RowShape shape) {
  const bool parallel = shape.count * shape.width > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t row = 0; row < shape.count; ++row) gelu_run(x + row * shape.width, shape.width);
}

void row_losses(const float* logits, RowShape shape, std::int64_t candidates, RowLoss* out) {
  const bool parallel = shape.count * shape.width > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t row = 0; row < shape.count; ++row) {
    const float* first = logits + row * shape.width;
    out[row] = row_loss({first, static_cast<std::size_t>(shape.width)}, candidates);
  }
}

}  // namespace yardstick::models::kernels
