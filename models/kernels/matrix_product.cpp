#include "models/kernels/matrix_product.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "models/kernels/bfloat16.hpp"
#include "models/kernels/clones.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

constexpr std::int64_t kBlockRows = 384;     // of x that each read of a panel serves
constexpr std::int64_t kPanelFloats = 8192;  // of a panel a depth step: the L1
constexpr std::int64_t kGroupOutputs =
    256;  // that a thread takes at a time: their sums stay in the L2
constexpr std::int64_t kSerialWork = 1 << 18;  // multiply-adds below which threads cost more

/// The same for a last panel, of which only `width` columns exist in `out`.
void add_narrow(Tile tile, std::int64_t rows, std::int64_t width, TileFunction add) {
  float whole[kMostTileRows * kMostTileColumns] = {};
  float* const out = tile.out;
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(out + r * tile.out_stride, width, whole + r * kMostTileColumns);
  const std::int64_t stride = std::exchange(tile.out_stride, kMostTileColumns);
  tile.out = whole;
  add(tile, rows);
  for (std::int64_t r = 0; r < rows; ++r)
    std::copy_n(whole + r * kMostTileColumns, width, out + r * stride);
}

/// panel [columns, width] from its rows; a few columns of each at a time, so that reads and writes
/// stay in the cache. Columns without a row become zeros: they are no output.
template <typename Number, typename Convert>
void fill_panel(std::span<const float* const> rows, std::int64_t columns, std::int64_t width,
                Number* panel, const Convert& convert) {
  constexpr std::int64_t kStep = 16;
  if (std::ssize(rows) < width) std::fill_n(panel, columns * width, Number{0});
  for (std::int64_t begin = 0; begin < columns; begin += kStep) {
    const std::int64_t end = std::min(begin + kStep, columns);
    for (std::int64_t r = 0; r < std::ssize(rows); ++r) {
      const float* const row = rows[static_cast<std::size_t>(r)];
      for (std::int64_t k = begin; k < end; ++k) panel[k * width + r] = convert(row[k]);
    }
  }
}

YARDSTICK_LOOP void expand_loop(const BFloat16* source, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = to_float(source[i]);
}
YARDSTICK_CLONES(void, expand, (const BFloat16* source, std::int64_t count, float* out),
                 (source, count, out))

}  // namespace

PackedMatrix::PackedMatrix(std::span<const std::span<const float>> parts, std::int64_t columns,
                           WeightStorage storage)
    : columns_(columns), panel_(tile_functions().columns) {
  for (const std::span<const float> part : parts) {
    check(std::ssize(part) % columns == 0, "a weight matrix has whole rows");
    rows_ += std::ssize(part) / columns;
  }
  const std::int64_t panels = (rows_ + panel_ - 1) / panel_;
  const auto numbers = static_cast<std::size_t>(panels * columns * panel_);
  if (storage == WeightStorage::kFloat32) {
    panels_ = aligned_array<float>(numbers);
  } else {
    rounded_ = aligned_array<BFloat16>(numbers);
  }
  std::vector<const float*> sources;
  for (const std::span<const float> part : parts) {
    for (auto source = part.begin(); source != part.end(); source += columns)
      sources.push_back(&*source);
  }
#pragma omp parallel for schedule(static) if (numbers > std::size_t{kSerialWork})
  for (std::int64_t first = 0; first < rows_; first += panel_) {
    const std::span<const float* const> rows(
        sources.data() + first, static_cast<std::size_t>(std::min(panel_, rows_ - first)));
    if (panels_) {
      fill_panel(rows, columns, panel_, panels_.get() + first * columns, [](float x) { return x; });
    } else {
      fill_panel(rows, columns, panel_, rounded_.get() + first * columns, to_bfloat16);
    }
  }
}

void PackedMatrix::copy_row(std::int64_t n, float* out) const {
  const std::int64_t first = n / panel_ * columns_ * panel_ + n % panel_;
  for (std::int64_t k = 0; k < columns_; ++k) {
    const auto at = static_cast<std::size_t>(first + k * panel_);
    out[k] = panels_ ? panels_[at] : to_float(rounded_[at]);
  }
}

const float* PackedMatrix::panel(std::int64_t output, std::int64_t k, std::int64_t depth,
                                 float* room) const {
  const std::int64_t first = output * columns_ + k * panel_;
  if (panels_) return panels_.get() + first;
  expand(rounded_.get() + first, depth * panel_, room);
  return room;
}

void PackedMatrix::multiply(const ConstRows& x, const Rows& out) const {
  product(x, Start::kZero, out);
}

void PackedMatrix::multiply_add(const ConstRows& x, const Rows& out) const {
  product(x, Start::kOut, out);
}

void PackedMatrix::multiply_some(const ConstRows& x, const Outputs& outputs,
                                 const Rows& out) const {
  check(outputs.first % kMostTileColumns == 0, "a part of a product begins with a panel");
  product_of(x, outputs, Start::kZero, out);
}

void PackedMatrix::product(const ConstRows& x, Start start, const Rows& out) const {
  const std::int64_t blocks = (x.count + kBlockRows - 1) / kBlockRows;
  const std::int64_t groups = (rows_ + kGroupOutputs - 1) / kGroupOutputs;
  const bool parallel = omp_in_parallel() == 0 && x.count * rows_ * columns_ > kSerialWork;
#pragma omp parallel for schedule(static) if (parallel)
  for (std::int64_t task = 0; task < blocks * groups; ++task) {
    const std::int64_t row = task / groups * kBlockRows;
    const std::int64_t output = task % groups * kGroupOutputs;
    const std::int64_t count = std::min(kBlockRows, x.count - row);
    product_of({x[row], count, x.stride}, {output, std::min(kGroupOutputs, rows_ - output)}, start,
               {out[row] + output, count, out.stride});
  }
}

void PackedMatrix::product_of(const ConstRows& x, const Outputs& outputs, Start start,
                              const Rows& out) const {
  const TileFunctions& tiles = tile_functions();
  const std::int64_t step = kPanelFloats / panel_;
  alignas(64) float room[kPanelFloats];
  for (std::int64_t k = 0; k < columns_; k += step) {
    const TileFunction add = k == 0 && start == Start::kZero ? tiles.product : tiles.accumulate;
    for (std::int64_t column = 0; column < outputs.count; column += panel_) {
      const std::int64_t width = std::min(panel_, outputs.count - column);
      const std::int64_t depth = std::min(step, columns_ - k);
      const float* const weights = panel(outputs.first + column, k, depth, room);
      for (std::int64_t row = 0; row < x.count; row += kMostTileRows) {
        const std::int64_t rows = std::min(kMostTileRows, x.count - row);
        const Tile tile{.x = x[row] + k,
                        .x_stride = x.stride,
                        .panel = weights,
                        .depth = depth,
                        .out = out[row] + column,
                        .out_stride = out.stride};
        if (width == panel_) {
          add(tile, rows);
        } else {
          add_narrow(tile, rows, width, add);
        }
      }
    }
  }
}

}  // namespace yardstick::models::kernels
