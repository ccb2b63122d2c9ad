// Inside the room: tanh as a few operations that a compiler vectorises to the same bits as it
// computes one number.
#pragma once

#include <cmath>

#include "models/kernels/exponential.hpp"

namespace yardstick::models::kernels {

/// tanh x to 2e-7 relative; NaN stays NaN. Near 0 the polynomial of Cephes' tanhf, elsewhere
/// 1 - 2 / (e^2x + 1), which is as exact where the result is not small. The includer is compiled
/// without contraction to FMA, so that Arithmetic alone decides.
template <typename Arithmetic>
[[gnu::always_inline]] inline float hyperbolic_tangent(float x) {
  const float size = std::fabs(x);
  const float square = x * x;
  float p = -5.70498872745e-3F;
  p = Arithmetic::multiply_add(p, square, 2.06390887954e-2F);
  p = Arithmetic::multiply_add(p, square, -5.37397155531e-2F);
  p = Arithmetic::multiply_add(p, square, 1.33314422036e-1F);
  p = Arithmetic::multiply_add(p, square, -3.33332819422e-1F);
  const float near = Arithmetic::multiply_add(p * square, x, x);
  const float far = std::copysign(1.0F - 2.0F / (exponential<Arithmetic>(2.0F * size) + 1.0F), x);
  return size < 0.625F ? near : far;
}

}  // namespace yardstick::models::kernels
