// PackedMatrix: y = x W^T by register tiles over packed panels. The order of the additions of one
// number is fixed (k = 0 .. K-1, fused), so every tile height, instruction set and thread count
// gives the same bits; only a CPU without FMA rounds differently.
#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "models/decoder/cpu_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kPanel = 32;               // columns a panel
constexpr std::int64_t kRowTile = 12;             // rows that the tallest tile takes
constexpr std::int64_t kBlockFloats = 48 * 1024;  // of x, kept in the second-level cache
constexpr std::int64_t kSerialWork = 1 << 16;     // multiply-adds below which threads cost more

/// One tile: `rows` rows of x [rows, K] times one panel [K, kPanel] into out, `stride` apart.
struct Tile {
  const float* x = nullptr;
  const float* panel = nullptr;
  std::int64_t columns = 0;  // K
  float* out = nullptr;
  std::int64_t stride = 0;
};

using TileFunction = void (*)(const Tile& tile, std::int64_t rows);

void tile_portable(const Tile& tile, std::int64_t rows) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float sums[kPanel] = {};
    for (std::int64_t k = 0; k < tile.columns; ++k) {
      const float x = tile.x[r * tile.columns + k];
      for (std::int64_t c = 0; c < kPanel; ++c) sums[c] += x * tile.panel[k * kPanel + c];
    }
    std::memcpy(tile.out + r * tile.stride, sums, sizeof(sums));
  }
}

#if defined(__x86_64__)

/// kRows x 16 numbers of half a panel.
template <int kRows>
[[gnu::target("avx2,fma")]] void half_tile_avx2(const Tile& tile, std::int64_t first_row,
                                                std::int64_t first_column) {
  const std::int64_t columns = tile.columns;
  const float* x = tile.x + first_row * columns;
  const float* panel = tile.panel + first_column;
  __m256 sums[kRows][2];
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_ps();
  for (std::int64_t k = 0; k < columns; ++k) {
    const __m256 low = _mm256_loadu_ps(panel + k * kPanel);
    const __m256 high = _mm256_loadu_ps(panel + k * kPanel + 8);
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      const __m256 value = _mm256_broadcast_ss(x + r * columns + k);
      sums[r][0] = _mm256_fmadd_ps(value, low, sums[r][0]);
      sums[r][1] = _mm256_fmadd_ps(value, high, sums[r][1]);
    }
  }
  float* out = tile.out + first_row * tile.stride + first_column;
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    _mm256_storeu_ps(out + r * tile.stride, sums[r][0]);
    _mm256_storeu_ps(out + r * tile.stride + 8, sums[r][1]);
  }
}

void tile_avx2(const Tile& tile, std::int64_t rows) {
  for (std::int64_t column = 0; column < kPanel; column += 16) {
    std::int64_t row = 0;
    for (; row + 6 <= rows; row += 6) half_tile_avx2<6>(tile, row, column);
    for (; row + 2 <= rows; row += 2) half_tile_avx2<2>(tile, row, column);
    for (; row < rows; ++row) half_tile_avx2<1>(tile, row, column);
  }
}

/// kRows x 32 numbers: a whole panel.
template <int kRows>
[[gnu::target("avx512f")]] void row_tile_avx512(const Tile& tile, std::int64_t first_row) {
  const std::int64_t columns = tile.columns;
  const float* x = tile.x + first_row * columns;
  __m512 sums[kRows][2];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
  for (std::int64_t k = 0; k < columns; ++k) {
    const __m512 low = _mm512_loadu_ps(tile.panel + k * kPanel);
    const __m512 high = _mm512_loadu_ps(tile.panel + k * kPanel + 16);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const __m512 value = _mm512_set1_ps(x[r * columns + k]);
      sums[r][0] = _mm512_fmadd_ps(value, low, sums[r][0]);
      sums[r][1] = _mm512_fmadd_ps(value, high, sums[r][1]);
    }
  }
  float* out = tile.out + first_row * tile.stride;
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    _mm512_storeu_ps(out + r * tile.stride, sums[r][0]);
    _mm512_storeu_ps(out + r * tile.stride + 16, sums[r][1]);
  }
}

void tile_avx512(const Tile& tile, std::int64_t rows) {
  std::int64_t row = 0;
  for (; row + 12 <= rows; row += 12) row_tile_avx512<12>(tile, row);
  for (; row + 4 <= rows; row += 4) row_tile_avx512<4>(tile, row);
  for (; row < rows; ++row) row_tile_avx512<1>(tile, row);
}

TileFunction choose_tile() {
  if (__builtin_cpu_supports("avx512f")) return tile_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return tile_avx2;
  return tile_portable;
}

#else

TileFunction choose_tile() { return tile_portable; }

#endif

const TileFunction kTile = choose_tile();

}  // namespace

PackedMatrix::PackedMatrix(std::span<const std::span<const float>> parts, std::int64_t columns)
    : columns_(columns) {
  for (const std::span<const float> part : parts) {
    check(std::ssize(part) % columns == 0, "a weight matrix has whole rows");
    rows_ += std::ssize(part) / columns;
  }
  const std::int64_t panels = (rows_ + kPanel - 1) / kPanel;
  panels_.resize(static_cast<std::size_t>(panels * columns * kPanel));
  std::int64_t row = 0;
  for (const std::span<const float> part : parts) {
    for (auto source = part.begin(); source != part.end(); source += columns, ++row) {
      float* target = panels_.data() + row / kPanel * columns * kPanel + row % kPanel;
      for (std::int64_t k = 0; k < columns; ++k) target[k * kPanel] = source[k];
    }
  }
}

void PackedMatrix::multiply(const float* x, std::int64_t count, float* out) const {
  const std::int64_t panels = (rows_ + kPanel - 1) / kPanel;
  const std::int64_t block_rows =
      std::max(kBlockFloats / std::max<std::int64_t>(columns_, 1) / kRowTile, std::int64_t{2}) *
      kRowTile;
  const std::int64_t blocks = (count + block_rows - 1) / block_rows;
  const bool parallel = count * rows_ * columns_ > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t task = 0; task < blocks * panels; ++task) {
    const std::int64_t first = task / panels * block_rows;
    const std::int64_t last = std::min(first + block_rows, count);
    const std::int64_t column = task % panels * kPanel;
    const std::int64_t width = std::min(kPanel, rows_ - column);
    const float* panel = panels_.data() + column * columns_;
    for (std::int64_t row = first; row < last; row += kRowTile) {
      const std::int64_t rows = std::min(kRowTile, last - row);
      float* target = out + row * rows_ + column;
      if (width == kPanel) {
        kTile({x + row * columns_, panel, columns_, target, rows_}, rows);
        continue;
      }
      float whole[kRowTile * kPanel];
      kTile({x + row * columns_, panel, columns_, whole, kPanel}, rows);
      for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(whole + r * kPanel, width, target + r * rows_);
    }
  }
}

}  // namespace yardstick::models::kernels
