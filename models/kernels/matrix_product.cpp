#include "models/kernels/matrix_product.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kBlockFloats = 48 * 1024;  // of x, kept in the second-level cache
constexpr std::int64_t kDepthStep = 256;          // of a panel, kept in the first-level cache
constexpr std::int64_t kSerialWork = 1 << 16;     // multiply-adds below which threads cost more

/// The same for a last panel, of which only `width` columns exist in `out`.
void add_narrow(Tile tile, std::int64_t rows, std::int64_t width, TileFunction add) {
  float whole[kRowTile * kPanel] = {};
  float* const out = tile.out;
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(out + r * tile.out_stride, width, whole + r * kPanel);
  const std::int64_t stride = std::exchange(tile.out_stride, kPanel);
  tile.out = whole;
  add(tile, rows);
  for (std::int64_t r = 0; r < rows; ++r) std::copy_n(whole + r * kPanel, width, out + r * stride);
}

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
    multiply_panel({first, std::min(first + block_rows, count)}, task % panels, x, out);
  }
}

void PackedMatrix::multiply_panel(RowRange range, std::int64_t panel, const float* x,
                                  float* out) const {
  const TileFunctions tiles = tile_functions();
  const std::int64_t column = panel * kPanel;
  const std::int64_t width = std::min(kPanel, rows_ - column);
  for (std::int64_t k = 0; k < columns_; k += kDepthStep) {
    const TileFunction add = k == 0 ? tiles.product : tiles.accumulate;
    for (std::int64_t row = range.first; row < range.last; row += kRowTile) {
      const std::int64_t rows = std::min(kRowTile, range.last - row);
      const Tile tile{.x = x + row * columns_ + k,
                      .x_stride = columns_,
                      .panel = panels_.data() + column * columns_ + k * kPanel,
                      .panel_stride = kPanel,
                      .depth = std::min(kDepthStep, columns_ - k),
                      .out = out + row * rows_ + column,
                      .out_stride = rows_};
      if (width == kPanel) {
        add(tile, rows);
      } else {
        add_narrow(tile, rows, width, add);
      }
    }
  }
}

}  // namespace yardstick::models::kernels
