#include "models/kernels/tile.hpp"

#include <algorithm>

#include "models/kernels/vector_level.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace yardstick::models::kernels {
namespace {

enum class Start { kZero, kOut };

template <Start kStart>
void tile_portable(const Tile& tile, std::int64_t rows) {
  constexpr std::int64_t kColumns = 16;
  for (std::int64_t r = 0; r < rows; ++r) {
    float* out = tile.out + r * tile.out_stride;
    float sums[kColumns] = {};
    if constexpr (kStart == Start::kOut) std::copy_n(out, kColumns, sums);
    for (std::int64_t k = 0; k < tile.depth; ++k) {
      const float x = tile.x[r * tile.x_stride + k];
      const float* panel = tile.panel + k * kColumns;
      for (std::int64_t c = 0; c < kColumns; ++c) sums[c] += x * panel[c];
    }
    std::copy_n(sums, kColumns, out);
  }
}

#if defined(__x86_64__)

// The multiply-adds are written out, for a sum then stays in its register: with intrinsics the
// compiler moves sums about and to memory and back, which costs a tenth of the speed.

/// kRows x 16 numbers: 12 sums, two panel vectors and a broadcast fill the 16 registers. Four
/// depths a round, and rows addressed from two pointers: the fewer instructions besides
/// multiply-adds, the less a neighbour on the same core takes away.
template <Start kStart, int kRows>
[[gnu::target("avx2,fma")]] void rows_avx2(const Tile& tile, std::int64_t first_row) {
  constexpr int kUpper = (kRows + 1) / 2;
  const std::int64_t stride = tile.x_stride;
  const float* upper = tile.x + first_row * stride;
  const float* lower = upper + kUpper * stride;
  const float* panel = tile.panel;
  const std::int64_t out_stride = tile.out_stride;
  float* const upper_out = tile.out + first_row * out_stride;
  float* const lower_out = upper_out + kUpper * out_stride;
  __m256 sums[kRows][2];
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    if constexpr (kStart == Start::kZero) {
      sums[r][0] = sums[r][1] = _mm256_setzero_ps();
    } else {
      const float* const out =
          r < kUpper ? upper_out + r * out_stride : lower_out + (r - kUpper) * out_stride;
      sums[r][0] = _mm256_loadu_ps(out);
      sums[r][1] = _mm256_loadu_ps(out + 8);
    }
  }
  const auto add = [&](std::int64_t k) __attribute__((always_inline, target("avx2,fma"))) {
    const __m256 low = _mm256_loadu_ps(panel + 16 * k);
    const __m256 high = _mm256_loadu_ps(panel + 16 * k + 8);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const float* const x = r < kUpper ? upper + r * stride : lower + (r - kUpper) * stride;
      const __m256 value = _mm256_broadcast_ss(x + k);
      asm("vfmadd231ps %2, %1, %0" : "+x"(sums[r][0]) : "x"(value), "x"(low));
      asm("vfmadd231ps %2, %1, %0" : "+x"(sums[r][1]) : "x"(value), "x"(high));
    }
  };
  std::int64_t left = tile.depth;
  for (; left >= 4; left -= 4) {
    add(0);
    add(1);
    add(2);
    add(3);
    panel += 64;
    upper += 4;
    lower += 4;
  }
  for (; left > 0; --left) {
    add(0);
    panel += 16;
    ++upper;
    ++lower;
  }
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    float* const out =
        r < kUpper ? upper_out + r * out_stride : lower_out + (r - kUpper) * out_stride;
    _mm256_storeu_ps(out, sums[r][0]);
    _mm256_storeu_ps(out + 8, sums[r][1]);
  }
}

template <Start kStart>
void tile_avx2(const Tile& tile, std::int64_t rows) {
  std::int64_t row = 0;
  for (; row + 6 <= rows; row += 6) rows_avx2<kStart, 6>(tile, row);
  for (; row + 2 <= rows; row += 2) rows_avx2<kStart, 2>(tile, row);
  for (; row < rows; ++row) rows_avx2<kStart, 1>(tile, row);
}

/// AVX-512's panels of 32 on a CPU with AVX2, to test their layout: right, not fast.
template <Start kStart>
[[gnu::target("avx2,fma")]] void tile_avx2_wide(const Tile& tile, std::int64_t rows) {
  constexpr int kVectors = 4;
  for (std::int64_t row = 0; row < rows; ++row) {
    float* const out = tile.out + row * tile.out_stride;
    __m256 sums[kVectors];
    for (int v = 0; v < kVectors; ++v)
      sums[v] = kStart == Start::kOut ? _mm256_loadu_ps(out + 8 * v) : _mm256_setzero_ps();
    for (std::int64_t k = 0; k < tile.depth; ++k) {
      const __m256 x = _mm256_set1_ps(tile.x[row * tile.x_stride + k]);
      const float* const panel = tile.panel + k * 8 * kVectors;
      for (int v = 0; v < kVectors; ++v)
        sums[v] = _mm256_fmadd_ps(x, _mm256_loadu_ps(panel + 8 * v), sums[v]);
    }
    for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(out + 8 * v, sums[v]);
  }
}

/// kRows x 32 numbers: 24 sums. Rows are addressed from one pointer for every four.
template <Start kStart, int kRows>
[[gnu::target("avx512f")]] void rows_avx512(const Tile& tile, std::int64_t first_row) {
  constexpr int kQuads = (kRows + 3) / 4;
  const std::int64_t stride = tile.x_stride;
  const float* quads[kQuads];
  for (int i = 0; i < kQuads; ++i) quads[i] = tile.x + (first_row + 4 * i) * stride;
  const float* panel = tile.panel;
  float* const out = tile.out + first_row * tile.out_stride;
  __m512 sums[kRows][2];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    if constexpr (kStart == Start::kZero) {
      sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    } else {
      sums[r][0] = _mm512_loadu_ps(out + r * tile.out_stride);
      sums[r][1] = _mm512_loadu_ps(out + r * tile.out_stride + 16);
    }
  }
  for (std::int64_t k = 0; k < tile.depth; ++k) {
    const __m512 low = _mm512_loadu_ps(panel);
    const __m512 high = _mm512_loadu_ps(panel + 16);
    panel += 32;
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const __m512 value = _mm512_set1_ps(quads[r / 4][r % 4 * stride]);
      asm("vfmadd231ps %2, %1, %0" : "+v"(sums[r][0]) : "v"(value), "v"(low));
      asm("vfmadd231ps %2, %1, %0" : "+v"(sums[r][1]) : "v"(value), "v"(high));
    }
#pragma GCC unroll 3
    for (int i = 0; i < kQuads; ++i) ++quads[i];
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_ps(out + r * tile.out_stride, sums[r][0]);
    _mm512_storeu_ps(out + r * tile.out_stride + 16, sums[r][1]);
  }
}

template <Start kStart>
void tile_avx512(const Tile& tile, std::int64_t rows) {
  std::int64_t row = 0;
  for (; row + 12 <= rows; row += 12) rows_avx512<kStart, 12>(tile, row);
  for (; row + 4 <= rows; row += 4) rows_avx512<kStart, 4>(tile, row);
  for (; row < rows; ++row) rows_avx512<kStart, 1>(tile, row);
}

#endif

TileFunctions choose() {
  switch (vector_level()) {
#if defined(__x86_64__)
    case VectorLevel::kAvx512: return {tile_avx512<Start::kZero>, tile_avx512<Start::kOut>, 32};
    case VectorLevel::kAvx2Wide:
      return {tile_avx2_wide<Start::kZero>, tile_avx2_wide<Start::kOut>, 32};
    case VectorLevel::kAvx2: return {tile_avx2<Start::kZero>, tile_avx2<Start::kOut>, 16};
#endif
    default: return {tile_portable<Start::kZero>, tile_portable<Start::kOut>, 16};
  }
}

}  // namespace

const TileFunctions& tile_functions() {
  static const TileFunctions kFunctions = choose();
  return kFunctions;
}

}  // namespace yardstick::models::kernels
