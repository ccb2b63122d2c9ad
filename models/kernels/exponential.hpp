// Inside the room: e^x as a few operations that a compiler vectorises to the same bits as it
// computes one number.
#pragma once

#include <bit>
#include <cstdint>

namespace yardstick::models::kernels {

/// How a x b + c is rounded: once where the CPU has the instruction, else twice.
struct Fused {
  static float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
};
struct Separate {
  static float multiply_add(float a, float b, float c) { return a * b + c; }
};

/// -87.3 and 88.3, between which e^x is a normal number. Defined elsewhere: a compiler that knows
/// the numbers makes each clamp a branch with a result of its own, and then no vector loop.
extern const float kLowestExponent;
extern const float kHighestExponent;
/// -126, from which on 2^x is a normal number; elsewhere for the same reason.
extern const float kLowestPower;

/// e^x to 1e-7 relative from kLowestExponent to kHighestExponent, clamped there; NaN stays NaN. The
/// range reduction by round(x log2 e) and the polynomial are those of Cephes' expf. The includer is
/// compiled without contraction to FMA, so that Arithmetic alone decides.
template <typename Arithmetic = Separate>
[[gnu::always_inline]] inline float exponential(float x) {
  x = x < kLowestExponent ? kLowestExponent : x;
  x = x > kHighestExponent ? kHighestExponent : x;
  const float shifter = 12582912.0F;  // 1.5 x 2^23: adding it rounds to an integer in the low bits
  const float shifted = Arithmetic::multiply_add(x, 1.44269504F, shifter);
  const float n = shifted - shifter;
  float r = Arithmetic::multiply_add(n, -0.693359375F, x);
  r = Arithmetic::multiply_add(n, 2.12194440e-4F, r);
  float p = 1.9875691500e-4F;
  p = Arithmetic::multiply_add(p, r, 1.3981999507e-3F);
  p = Arithmetic::multiply_add(p, r, 8.3334519073e-3F);
  p = Arithmetic::multiply_add(p, r, 4.1665795894e-2F);
  p = Arithmetic::multiply_add(p, r, 1.6666665459e-1F);
  p = Arithmetic::multiply_add(p, r, 5.0000001201e-1F);
  p = Arithmetic::multiply_add(p, r * r, r) + 1.0F;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23U;
  const auto result = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + exponent);
  return Arithmetic::multiply_add(x, 0.0F, result);  // the bits could make a number of a NaN
}

/// 2^x to 1.7e-7 relative from kLowestPower to 0, clamped below; NaN stays NaN. The polynomial has
/// the least largest relative error on [-1/2, 1/2] among those of degree 5 that are 1 at 0.
template <typename Arithmetic>
[[gnu::always_inline]] inline float power_of_two(float x) {
  x = x < kLowestPower ? kLowestPower : x;
  // 1.5 x 2^23 rounds to an integer in the low bits; 127 makes it an exponent's.
  const float shifter = 12583039.0F;
  const float shifted = x + shifter;
  const float r = x - (shifted - shifter);
  float p = 1.3264727e-3F;
  p = Arithmetic::multiply_add(p, r, 9.6715130e-3F);
  p = Arithmetic::multiply_add(p, r, 5.5507336e-2F);
  p = Arithmetic::multiply_add(p, r, 2.4022242e-1F);
  p = Arithmetic::multiply_add(p, r, 6.9314700e-1F);
  p = Arithmetic::multiply_add(p, r, 1.0F);
  return p * std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23U);
}

}  // namespace yardstick::models::kernels
