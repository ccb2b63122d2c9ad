// Compiled without contraction to FMA (see CMakeLists.txt): the versions differ in width only.
#include "models/kernels/soft_cap.hpp"

#include "models/kernels/hyperbolic.hpp"
#include "models/kernels/vector_level.hpp"

namespace yardstick::models::kernels {
namespace {

template <typename Arithmetic>
[[gnu::always_inline]] inline void bound(float* x, std::int64_t count, float cap) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = cap * hyperbolic_tangent<Arithmetic>(x[i] / cap);
}

void bound_portable(float* x, std::int64_t count, float cap) { bound<Separate>(x, count, cap); }

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] void bound_avx2(float* x, std::int64_t count, float cap) {
  bound<Fused>(x, count, cap);
}

[[gnu::target("avx512f,avx2,fma,prefer-vector-width=512")]] void bound_avx512(float* x,
                                                                              std::int64_t count,
                                                                              float cap) {
  bound<Fused>(x, count, cap);
}

#endif

SoftCap choose() {
  switch (vector_level()) {
#if defined(__x86_64__)
    case VectorLevel::kAvx512: return bound_avx512;
    case VectorLevel::kAvx2Wide:
    case VectorLevel::kAvx2: return bound_avx2;
#endif
    default: return bound_portable;
  }
}

}  // namespace

SoftCap soft_cap_function() {
  static const SoftCap kFunction = choose();
  return kFunction;
}

}  // namespace yardstick::models::kernels
