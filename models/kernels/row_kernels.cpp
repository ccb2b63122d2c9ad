// Norms and what else is done to rows: plain loops that the compiler vectorises, with elementary
// functions of our own, so that the vectorised middle and the scalar end of a row compute the same
// bits. Compiled without contraction to FMA: the clones differ in width only.
#include <algorithm>
#include <cmath>

#include "models/kernels/clones.hpp"
#include "models/kernels/hyperbolic.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kLanes = 16;

YARDSTICK_LOOP double sum_squares_loop(const float* x, float centre, std::int64_t width) {
  float squares[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = x[i + lane] - centre;
      squares[lane] += value * value;
    }
  }
  double sum = 0;
  for (const float square : squares) sum += static_cast<double>(square);
  for (; i < width; ++i) sum += static_cast<double>((x[i] - centre) * (x[i] - centre));
  return sum;
}
YARDSTICK_CLONES(double, sum_squares, (const float* x, float centre, std::int64_t width),
                 (x, centre, width))

double mean(const float* x, std::int64_t width) {
  double sum = 0;
  for (std::int64_t i = 0; i < width; ++i) sum += static_cast<double>(x[i]);
  return sum / static_cast<double>(width);
}

YARDSTICK_LOOP void normalise_loop(const float* x, std::int64_t width, float centre, float scale,
                                   const NormWeights& weights, float* out) {
  const float* const weight = weights.weight;
  const float* const bias = weights.bias;
  if (weight == nullptr) {
    for (std::int64_t i = 0; i < width; ++i) out[i] = (x[i] - centre) * scale;
  } else {
    for (std::int64_t i = 0; i < width; ++i) out[i] = (x[i] - centre) * scale * weight[i];
  }
  if (bias != nullptr) {
    for (std::int64_t i = 0; i < width; ++i) out[i] += bias[i];
  }
}
YARDSTICK_CLONES(void, normalise,
                 (const float* x, std::int64_t width, float centre, float scale,
                  const NormWeights& weights, float* out),
                 (x, width, centre, scale, weights, out))

float scale_of(double squares, std::int64_t width, double epsilon) {
  return static_cast<float>(1.0 / std::sqrt(squares / static_cast<double>(width) + epsilon));
}

YARDSTICK_LOOP void soft_cap_row_loop(float* x, std::int64_t width, float cap) {
  for (std::int64_t i = 0; i < width; ++i) x[i] = cap * hyperbolic_tangent(x[i] / cap);
}
YARDSTICK_CLONES(void, soft_cap_row, (float* x, std::int64_t width, float cap), (x, width, cap))

YARDSTICK_LOOP void scale_row_loop(float* x, std::int64_t width, float factor) {
  for (std::int64_t i = 0; i < width; ++i) x[i] *= factor;
}
YARDSTICK_CLONES(void, scale_row, (float* x, std::int64_t width, float factor), (x, width, factor))

YARDSTICK_LOOP void add_scaled_to_row_loop(const float* __restrict added, std::int64_t width,
                                           float factor, float* __restrict x) {
  for (std::int64_t i = 0; i < width; ++i) x[i] += factor * added[i];
}
YARDSTICK_CLONES(void, add_scaled_to_row,
                 (const float* __restrict added, std::int64_t width, float factor,
                  float* __restrict x),
                 (added, width, factor, x))

YARDSTICK_LOOP void add_to_row_loop(float* x, std::int64_t width, const float* row) {
  for (std::int64_t i = 0; i < width; ++i) x[i] += row[i];
}
YARDSTICK_CLONES(void, add_to_row, (float* x, std::int64_t width, const float* row),
                 (x, width, row))

}  // namespace

void rms_norm(const ConstRows& x, std::int64_t width, const NormWeights& weights, const Rows& out) {
  for (std::int64_t row = 0; row < x.count; ++row) {
    const float scale = scale_of(sum_squares(x[row], 0.0F, width), width, weights.epsilon);
    normalise(x[row], width, 0.0F, scale, weights, out[row]);
  }
}

void layer_norm(const ConstRows& x, std::int64_t width, const NormWeights& weights,
                const Rows& out) {
  for (std::int64_t row = 0; row < x.count; ++row) {
    const auto centre = static_cast<float>(mean(x[row], width));
    const float scale = scale_of(sum_squares(x[row], centre, width), width, weights.epsilon);
    normalise(x[row], width, centre, scale, weights, out[row]);
  }
}

void clamp(const Rows& x, std::int64_t width, float limit) {
  for (std::int64_t row = 0; row < x.count; ++row) {
    std::transform(x[row], x[row] + width, x[row], [limit](float value) {
      if (value < -limit) return -limit;
      return value > limit ? limit : value;
    });
  }
}

void soft_cap(const Rows& x, std::int64_t width, float cap) {
  for (std::int64_t i = 0; i < x.count; ++i) soft_cap_row(x[i], width, cap);
}

void scale(const Rows& x, std::int64_t width, float factor) {
  for (std::int64_t i = 0; i < x.count; ++i) scale_row(x[i], width, factor);
}

void add_row(const Rows& x, std::int64_t width, const float* row) {
  for (std::int64_t i = 0; i < x.count; ++i) add_to_row(x[i], width, row);
}

void add_scaled(const ConstRows& added, std::int64_t width, float factor, const Rows& x) {
  for (std::int64_t i = 0; i < x.count; ++i) add_scaled_to_row(added[i], width, factor, x[i]);
}

void copy(const ConstRows& x, std::int64_t width, const Rows& out) {
  for (std::int64_t i = 0; i < x.count; ++i) std::copy_n(x[i], width, out[i]);
}

}  // namespace yardstick::models::kernels
