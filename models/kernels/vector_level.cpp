#include "models/kernels/vector_level.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::array kLevels = {VectorLevel::kPortable, VectorLevel::kAvx2, VectorLevel::kAvx2Wide,
                                VectorLevel::kAvx512};

bool is_had(VectorLevel level, VectorLevel best) {
  return (level == VectorLevel::kAvx2Wide ? VectorLevel::kAvx2 : level) <= best;
}

VectorLevel level_of_environment() {
  const char* const name = std::getenv("YARDSTICK_ISA");
  return parse_vector_level(name == nullptr ? "" : name, best_vector_level());
}

}  // namespace

std::string_view to_string(VectorLevel level) {
  switch (level) {
    case VectorLevel::kPortable: return "portable";
    case VectorLevel::kAvx2: return "avx2";
    case VectorLevel::kAvx2Wide: return "avx2-wide";
    case VectorLevel::kAvx512: return "avx512";
  }
  throw Error(ErrorKind::kInternal, "an instruction set has no name");
}

VectorLevel best_vector_level() {
#if defined(__x86_64__)
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return VectorLevel::kAvx512;
  if (has_v3) return VectorLevel::kAvx2;
#endif
  return VectorLevel::kPortable;
}

VectorLevel parse_vector_level(std::string_view name, VectorLevel best) {
  if (name.empty()) return best;
  for (const VectorLevel level : kLevels) {
    if (name != to_string(level)) continue;
    if (is_had(level, best)) return level;
    throw Error(ErrorKind::kConfig,
                fmt::format("YARDSTICK_ISA is '{}', which this CPU does not have; it has '{}' at "
                            "most: unset the variable or name that",
                            name, to_string(best)));
  }
  throw Error(
      ErrorKind::kConfig,
      fmt::format("YARDSTICK_ISA is '{}'; expected portable, avx2, avx2-wide or avx512", name));
}

VectorLevel vector_level() {
  static const VectorLevel kLevel = level_of_environment();
  return kLevel;
}

}  // namespace yardstick::models::kernels
