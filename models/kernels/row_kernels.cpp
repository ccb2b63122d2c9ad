// Norm, activations and the vocabulary loss: plain loops that the compiler vectorises, with one
// elementary function of our own, so that the vectorised middle and the scalar end of a row compute
// the same bits. Compiled without contraction to FMA: the clones differ in width only.
#include "models/kernels/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/kernels/clones.hpp"
#include "models/kernels/exponential.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kSerialWork = 1 << 14;

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

YARDSTICK_CLONES void silu_multiply_row(const float* __restrict gate, const float* __restrict up,
                                        std::int64_t width, float* __restrict out) {
  for (std::int64_t i = 0; i < width; ++i)
    out[i] = gate[i] / (1.0F + exponential(-gate[i])) * up[i];
}

YARDSTICK_CLONES void gelu_run(float* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float size = std::fabs(x[i]);
    const float z = size * 0.70710678F;
    const float t = 1.0F / (1.0F + 0.3275911F * z);
    float p = 1.061405429F;
    p = p * t - 1.453152027F;
    p = p * t + 1.421413741F;
    p = p * t - 0.284496736F;
    p = p * t + 0.254829592F;
    const float tail = p * t * exponential(-z * z);  // 1 - erf(z)
    x[i] = 0.5F * (x[i] + size) - 0.5F * size * tail;
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
