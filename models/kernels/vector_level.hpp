// Which instruction sets the CPU's loops use.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace yardstick::models::kernels {

/// kAvx2 stands for x86-64-v3 (with FMA), kAvx512 for x86-64-v4. kAvx2Wide has AVX2's instructions
/// and AVX-512's panels of 32 numbers, so that a machine without AVX-512 can test its layout.
enum class VectorLevel : std::uint8_t { kPortable, kAvx2, kAvx2Wide, kAvx512 };

/// "portable", "avx2", "avx2-wide", "avx512".
[[nodiscard]] std::string_view to_string(VectorLevel level);

/// The most that this CPU has.
[[nodiscard]] VectorLevel best_vector_level();

/// The level that `name` asks for on a CPU that has `best` at most; `best` for an empty name.
/// @throws Error(kConfig) for another word, and for a level that the CPU does not have.
[[nodiscard]] VectorLevel parse_vector_level(std::string_view name, VectorLevel best);

/// The level in use: what the environment's YARDSTICK_ISA says at the first call, or the CPU's.
/// @throws Error(kConfig) as parse_vector_level.
[[nodiscard]] VectorLevel vector_level();

}  // namespace yardstick::models::kernels
