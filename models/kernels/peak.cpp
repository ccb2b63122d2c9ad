#include "models/kernels/peak.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "models/kernels/vector_level.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace yardstick::models::kernels {
namespace {

constexpr int kChains = 12;  // two units of latency 4 or 5 are busy, and the registers suffice
constexpr std::int64_t kRounds = 500'000;
constexpr int kTries = 5;

/// A loop of kRounds x kChains multiply-adds of `width` floats; the result keeps it alive.
struct Loop {
  float (*run)();
  double width;
};

float run_portable() {
  float chains[kChains];
  std::fill_n(chains, kChains, 1.0F);
  for (std::int64_t round = 0; round < kRounds; ++round) {
    for (float& chain : chains) chain = chain * 0.999F + 0.001F;
  }
  float sum = 0;
  for (const float chain : chains) sum += chain;
  return sum;
}

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] float run_avx2() {
  const __m256 factor = _mm256_set1_ps(0.999F);
  const __m256 term = _mm256_set1_ps(0.001F);
  __m256 chains[kChains];
  for (__m256& chain : chains) chain = _mm256_set1_ps(1.0F);
  for (std::int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chains[i] = _mm256_fmadd_ps(chains[i], factor, term);
  }
  __m256 sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = _mm256_add_ps(sum, chains[i]);
  return _mm256_cvtss_f32(sum);
}

[[gnu::target("avx512f")]] float run_avx512() {
  const __m512 factor = _mm512_set1_ps(0.999F);
  const __m512 term = _mm512_set1_ps(0.001F);
  __m512 chains[kChains];
  for (__m512& chain : chains) chain = _mm512_set1_ps(1.0F);
  for (std::int64_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chains[i] = _mm512_fmadd_ps(chains[i], factor, term);
  }
  __m512 sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = _mm512_add_ps(sum, chains[i]);
  return _mm512_cvtss_f32(sum);
}

#endif

Loop choose() {
  switch (vector_level()) {
#if defined(__x86_64__)
    case VectorLevel::kAvx512: return {run_avx512, 16};
    case VectorLevel::kAvx2Wide:
    case VectorLevel::kAvx2: return {run_avx2, 8};
#endif
    default: return {run_portable, 1};
  }
}

}  // namespace

double measure_peak_flops() {
  using Clock = std::chrono::steady_clock;
  const Loop loop = choose();
  double best = 0;
  [[maybe_unused]] volatile float kept = 0;
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point start = Clock::now();
    kept = loop.run();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, 2.0 * loop.width * kChains * static_cast<double>(kRounds) / seconds);
  }
  return best;
}

}  // namespace yardstick::models::kernels
