// Plain loops that the compiler vectorises around functions of one number. Compiled without
// contraction to FMA: the clones differ in width only.
#include "models/kernels/activations.hpp"

#include <cmath>

#include "models/kernels/clones.hpp"
#include "models/kernels/exponential.hpp"

namespace yardstick::models::kernels {
namespace {

[[gnu::always_inline]] inline float silu_of(float x) { return x / (1.0F + exponential(-x)); }

[[gnu::always_inline]] inline float gelu_of(float x) {
  const float size = std::fabs(x);
  const float z = size * 0.70710678F;
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  float p = 1.061405429F;
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const float tail = p * t * exponential(-z * z);  // 1 - erf(z)
  return 0.5F * (x + size) - 0.5F * size * tail;
}

/// (1 + tanh u) / 2 is 1 / (1 + e^-2u).
[[gnu::always_inline]] inline float gelu_tanh_of(float x) {
  const float twice_u = 1.59576912F * (x + 0.044715F * (x * x * x));
  return x / (1.0F + exponential(-twice_u));
}

[[gnu::always_inline]] inline float relu_of(float x) { return x < 0.0F ? 0.0F : x; }

[[gnu::always_inline]] inline float relu_squared_of(float x) {
  const float positive = 0.5F * (x + std::fabs(x));  // a comparison would become a branch
  return positive * positive;
}

template <float (*kFunction)(float)>
[[gnu::always_inline]] inline void plain(const ConstRows& x, std::int64_t width, const Rows& out) {
  for (std::int64_t row = 0; row < x.count; ++row) {
    const float* const __restrict from = x[row];
    float* const __restrict to = out[row];
    for (std::int64_t i = 0; i < width; ++i) to[i] = kFunction(from[i]);
  }
}

template <float (*kFunction)(float)>
[[gnu::always_inline]] inline void gated(const ConstRows& gate_up, std::int64_t width,
                                         const Rows& out) {
  for (std::int64_t row = 0; row < gate_up.count; ++row) {
    const float* const __restrict gate = gate_up[row];
    const float* const __restrict up = gate_up[row] + width;
    float* const __restrict to = out[row];
    for (std::int64_t i = 0; i < width; ++i) to[i] = kFunction(gate[i]) * up[i];
  }
}

}  // namespace

YARDSTICK_LOOP void silu_loop(const ConstRows& x, std::int64_t width, const Rows& out) {
  plain<silu_of>(x, width, out);
}
YARDSTICK_CLONES(void, silu, (const ConstRows& x, std::int64_t width, const Rows& out),
                 (x, width, out))
YARDSTICK_LOOP void silu_multiply_loop(const ConstRows& gate_up, std::int64_t width,
                                       const Rows& out) {
  gated<silu_of>(gate_up, width, out);
}
YARDSTICK_CLONES(void, silu_multiply,
                 (const ConstRows& gate_up, std::int64_t width, const Rows& out),
                 (gate_up, width, out))

YARDSTICK_LOOP void gelu_loop(const ConstRows& x, std::int64_t width, const Rows& out) {
  plain<gelu_of>(x, width, out);
}
YARDSTICK_CLONES(void, gelu, (const ConstRows& x, std::int64_t width, const Rows& out),
                 (x, width, out))
YARDSTICK_LOOP void gelu_multiply_loop(const ConstRows& gate_up, std::int64_t width,
                                       const Rows& out) {
  gated<gelu_of>(gate_up, width, out);
}
YARDSTICK_CLONES(void, gelu_multiply,
                 (const ConstRows& gate_up, std::int64_t width, const Rows& out),
                 (gate_up, width, out))

YARDSTICK_LOOP void gelu_tanh_loop(const ConstRows& x, std::int64_t width, const Rows& out) {
  plain<gelu_tanh_of>(x, width, out);
}
YARDSTICK_CLONES(void, gelu_tanh, (const ConstRows& x, std::int64_t width, const Rows& out),
                 (x, width, out))
YARDSTICK_LOOP void gelu_tanh_multiply_loop(const ConstRows& gate_up, std::int64_t width,
                                            const Rows& out) {
  gated<gelu_tanh_of>(gate_up, width, out);
}
YARDSTICK_CLONES(void, gelu_tanh_multiply,
                 (const ConstRows& gate_up, std::int64_t width, const Rows& out),
                 (gate_up, width, out))

YARDSTICK_LOOP void relu_loop(const ConstRows& x, std::int64_t width, const Rows& out) {
  plain<relu_of>(x, width, out);
}
YARDSTICK_CLONES(void, relu, (const ConstRows& x, std::int64_t width, const Rows& out),
                 (x, width, out))
YARDSTICK_LOOP void relu_multiply_loop(const ConstRows& gate_up, std::int64_t width,
                                       const Rows& out) {
  gated<relu_of>(gate_up, width, out);
}
YARDSTICK_CLONES(void, relu_multiply,
                 (const ConstRows& gate_up, std::int64_t width, const Rows& out),
                 (gate_up, width, out))

YARDSTICK_LOOP void relu_squared_loop(const ConstRows& x, std::int64_t width, const Rows& out) {
  plain<relu_squared_of>(x, width, out);
}
YARDSTICK_CLONES(void, relu_squared, (const ConstRows& x, std::int64_t width, const Rows& out),
                 (x, width, out))
YARDSTICK_LOOP void relu_squared_multiply_loop(const ConstRows& gate_up, std::int64_t width,
                                               const Rows& out) {
  gated<relu_squared_of>(gate_up, width, out);
}
YARDSTICK_CLONES(void, relu_squared_multiply,
                 (const ConstRows& gate_up, std::int64_t width, const Rows& out),
                 (gate_up, width, out))

}  // namespace yardstick::models::kernels
