#include "models/kernels/rotation.hpp"

#include "models/kernels/clones.hpp"

namespace yardstick::models::kernels {
namespace {

YARDSTICK_CLONES void rotate_halves(float* __restrict a, float* __restrict b,
                                    const float* __restrict cos, const float* __restrict sin,
                                    std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float first = a[i] * cos[i] - b[i] * sin[i];
    b[i] = b[i] * cos[i] + a[i] * sin[i];
    a[i] = first;
  }
}

void rotate_interleaved(float* x, const float* cos, const float* sin, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    x[2 * i] = a * cos[i] - b * sin[i];
    x[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

}  // namespace

void rotate(const Rows& rows, const Heads& heads, const RotationTable& table) {
  for (std::int64_t row = 0; row < rows.count; ++row) {
    for (std::int64_t head = 0; head < heads.count; ++head) {
      float* x = rows[row] + head * heads.head_dim;
      const std::int64_t entry =
          (row * table.table_heads + (table.table_heads == 1 ? 0 : head)) * table.pairs;
      if (table.layout == RotationTable::Layout::kHalves) {
        rotate_halves(x, x + table.pairs, table.cos + entry, table.sin + entry, table.pairs);
      } else {
        rotate_interleaved(x, table.cos + entry, table.sin + entry, table.pairs);
      }
    }
  }
}

}  // namespace yardstick::models::kernels
