// Inside the room: the upper half of an f32 as a number of its own.
#pragma once

#include <bit>
#include <cstdint>

namespace yardstick::models::kernels {

using BFloat16 = std::uint16_t;

/// Rounds to the nearest, ties to even; NaN stays NaN.
[[nodiscard]] inline BFloat16 to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<BFloat16>((bits >> 16U) | 0x40U);
  return static_cast<BFloat16>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

[[nodiscard]] inline float to_float(BFloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16U);
}

}  // namespace yardstick::models::kernels
