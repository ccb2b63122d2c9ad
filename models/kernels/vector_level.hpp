// Inside the room: which instruction sets a function by hand may use on this CPU.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

enum class VectorLevel : std::uint8_t { kPortable, kAvx2WithFma, kAvx512 };

[[nodiscard]] inline VectorLevel vector_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return VectorLevel::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return VectorLevel::kAvx2WithFma;
#endif
  return VectorLevel::kPortable;
}

}  // namespace yardstick::models::kernels
