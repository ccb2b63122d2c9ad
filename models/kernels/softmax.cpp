// Compiled without contraction to FMA (see CMakeLists.txt): the versions differ in width only.
#include "models/kernels/softmax.hpp"

#include <algorithm>

#include "models/kernels/exponential.hpp"
#include "models/kernels/key_value_pages.hpp"
#include "models/kernels/tile.hpp"
#include "models/kernels/vector_level.hpp"

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

/// The largest of what came before and a row's scores, after the bias.
[[gnu::always_inline]] inline float maximum_of(const ScoreRows& rows, std::int64_t row,
                                               float maximum) {
  float* const __restrict scores = rows.scores + row * rows.stride;
  if (rows.slope != 0.0F) {
    const auto distance = static_cast<float>(rows.distance + row);
    for (std::int32_t key = 0; key < kPage; ++key)
      scores[key] -= rows.slope * (distance - static_cast<float>(key));
  }
  const SeenKeys seen = rows.seen[row];
  if (seen.begin > 0) std::fill(scores, scores + seen.begin, kNever);
  if (seen.end < kPage) std::fill(scores + seen.end, scores + kPage, kNever);
#pragma omp simd reduction(max : maximum)
  for (std::int32_t key = 0; key < kPage; ++key)
    maximum = scores[key] > maximum ? scores[key] : maximum;
  return maximum;
}

/// Scores to weights, and their sum.
template <typename Arithmetic>
[[gnu::always_inline]] inline float weigh(float* const __restrict scores, float maximum) {
  float lanes[kLanes] = {};
#pragma GCC unroll 4
  for (std::int32_t first = 0; first < kPage; first += kLanes) {
    for (std::int32_t lane = 0; lane < kLanes; ++lane) {
      const float weight = power_of_two<Arithmetic>(scores[first + lane] - maximum);
      scores[first + lane] = weight;
      lanes[lane] += weight;
    }
  }
  return sum_of(lanes);
}

/// Takes the weights of keys that are not seen, whose powers are tiny, for 0.
[[gnu::always_inline]] inline float sum_of_seen(float* scores, const SeenKeys& seen) {
  std::fill(scores, scores + seen.begin, 0.0F);
  std::fill(scores + seen.end, scores + kPage, 0.0F);
  float lanes[kLanes] = {};
  for (std::int32_t first = 0; first < kPage; first += kLanes) {
    for (std::int32_t lane = 0; lane < kLanes; ++lane) lanes[lane] += scores[first + lane];
  }
  return sum_of(lanes);
}

/// All maxima first: so a row's chain of dependent operations overlaps with the next row's.
template <typename Arithmetic>
[[gnu::always_inline]] inline void take(const ScoreRows& rows, Softmax* softmax) {
  float maxima[kMostTileRows];
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (!rows.seen[row].is_empty()) maxima[row] = maximum_of(rows, row, softmax[row].maximum);
  }
  for (std::int64_t row = 0; row < rows.count; ++row) {
    Softmax& own = softmax[row];
    const SeenKeys seen = rows.seen[row];
    float* const scores = rows.scores + row * rows.stride;
    if (seen.is_empty()) {
      own.shrink = 1;
      std::fill(scores, scores + kPage, 0.0F);
      continue;
    }
    float sum = weigh<Arithmetic>(scores, maxima[row]);
    if (seen.end - seen.begin < kPage) sum = sum_of_seen(scores, seen);
    own.shrink = power_of_two<Arithmetic>(own.maximum - maxima[row]);
    own.sum = own.sum * static_cast<double>(own.shrink) + static_cast<double>(sum);
    own.maximum = maxima[row];
  }
}

void take_portable(const ScoreRows& rows, Softmax* softmax) { take<Separate>(rows, softmax); }

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] void take_avx2(const ScoreRows& rows, Softmax* softmax) {
  take<Fused>(rows, softmax);
}

[[gnu::target("avx512f,avx2,fma,prefer-vector-width=512")]] void take_avx512(const ScoreRows& rows,
                                                                             Softmax* softmax) {
  take<Fused>(rows, softmax);
}

#endif

TakePage choose() {
  switch (vector_level()) {
#if defined(__x86_64__)
    case VectorLevel::kAvx512: return take_avx512;
    case VectorLevel::kAvx2Wide:
    case VectorLevel::kAvx2: return take_avx2;
#endif
    default: return take_portable;
  }
}

}  // namespace

TakePage take_page_function() {
  static const TakePage kFunction = choose();
  return kFunction;
}

}  // namespace yardstick::models::kernels
