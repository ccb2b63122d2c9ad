// Compiled without contraction to FMA (see CMakeLists.txt): the versions differ in width only.
#include "models/kernels/softmax.hpp"

#include <algorithm>

#include "models/kernels/exponential.hpp"
#include "models/kernels/key_value_pages.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int32_t kPage = kPageTokens;
constexpr std::int32_t kLanes = 16;
constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Sum of lanes as a tree, which every version adds alike.
[[gnu::always_inline]] inline float sum_of(const float (&lanes)[kLanes]) {
  float eight[8];
  float four[4];
  for (std::int32_t i = 0; i < 8; ++i) eight[i] = lanes[i] + lanes[i + 8];
  for (std::int32_t i = 0; i < 4; ++i) four[i] = eight[i] + eight[i + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

template <typename Arithmetic>
[[gnu::always_inline]] inline float take(const ScoreRow& row, Softmax& softmax) {
  float* const __restrict scores = row.scores;
  if (row.slope != 0.0F) {
    const float slope = row.slope;
    const auto distance = static_cast<float>(row.distance);
    for (std::int32_t key = 0; key < kPage; ++key)
      scores[key] -= slope * (distance - static_cast<float>(key));
  }
  if (row.visible < kPage) std::fill(scores + row.visible, scores + kPage, kNever);
  float maximum = softmax.maximum;
#pragma omp simd reduction(max : maximum)
  for (std::int32_t key = 0; key < kPage; ++key)
    maximum = scores[key] > maximum ? scores[key] : maximum;
  float lanes[kLanes] = {};
  if (row.visible < kPage) {
    for (std::int32_t key = 0; key < kPage; ++key)
      scores[key] = exponential<Arithmetic>(scores[key] - maximum);
    std::fill(scores + row.visible, scores + kPage, 0.0F);
    for (std::int32_t first = 0; first < kPage; first += kLanes) {
      for (std::int32_t lane = 0; lane < kLanes; ++lane) lanes[lane] += scores[first + lane];
    }
  } else {
#pragma GCC unroll 4
    for (std::int32_t first = 0; first < kPage; first += kLanes) {
      for (std::int32_t lane = 0; lane < kLanes; ++lane) {
        const float weight = exponential<Arithmetic>(scores[first + lane] - maximum);
        scores[first + lane] = weight;
        lanes[lane] += weight;
      }
    }
  }
  const auto sum = static_cast<double>(sum_of(lanes));
  if (maximum == softmax.maximum) {
    softmax.sum += sum;
    return 1.0F;
  }
  const float shrink = exponential<Arithmetic>(softmax.maximum - maximum);
  softmax.sum = softmax.sum * static_cast<double>(shrink) + sum;
  softmax.maximum = maximum;
  return shrink;
}

float take_portable(const ScoreRow& row, Softmax& softmax) { return take<Separate>(row, softmax); }

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] float take_avx2(const ScoreRow& row, Softmax& softmax) {
  return take<Fused>(row, softmax);
}

[[gnu::target("avx512f,avx2,fma,prefer-vector-width=512")]] float take_avx512(const ScoreRow& row,
                                                                              Softmax& softmax) {
  return take<Fused>(row, softmax);
}

TakePage choose() {
  if (__builtin_cpu_supports("avx512f")) return take_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return take_avx2;
  return take_portable;
}

#else

TakePage choose() { return take_portable; }

#endif

}  // namespace

TakePage take_page_function() {
  static const TakePage kFunction = choose();
  return kFunction;
}

}  // namespace yardstick::models::kernels
