#include "models/kernels/rotation.hpp"

#include <algorithm>

#include "models/kernels/clones.hpp"

namespace yardstick::models::kernels {
namespace {

/// Pairs (x[i], x[pairs + i]); `out` is x or apart from it.
YARDSTICK_LOOP void rotate_halves_loop(const float* x, const float* __restrict cos,
                                       const float* __restrict sin, std::int64_t pairs,
                                       float* out) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[i];
    const float b = x[pairs + i];
    out[i] = a * cos[i] - b * sin[i];
    out[pairs + i] = b * cos[i] + a * sin[i];
  }
}
YARDSTICK_CLONES(void, rotate_halves,
                 (const float* x, const float* __restrict cos, const float* __restrict sin,
                  std::int64_t pairs, float* out),
                 (x, cos, sin, pairs, out))

/// Pairs (x[2 i], x[2 i + 1]); `out` is x or apart from it.
void rotate_interleaved(const float* x, const float* cos, const float* sin, std::int64_t pairs,
                        float* out) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    out[2 * i] = a * cos[i] - b * sin[i];
    out[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

}  // namespace

void rotate(const ConstRows& rows, const Heads& heads, const RotationTable& table,
            const Rows& out) {
  const bool moves = rows.first != out.first;
  const std::int64_t rest = heads.head_dim - 2 * table.pairs;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    for (std::int64_t head = 0; head < heads.count; ++head) {
      const float* const x = rows[row] + head * heads.head_dim;
      float* const to = out[row] + head * heads.head_dim;
      const std::int64_t own = head * table.table_heads / heads.count;
      const std::int64_t entry = (row * table.table_heads + own) * table.pairs;
      if (table.layout == RotationTable::Layout::kHalves) {
        rotate_halves(x, table.cos + entry, table.sin + entry, table.pairs, to);
      } else {
        rotate_interleaved(x, table.cos + entry, table.sin + entry, table.pairs, to);
      }
      if (moves) std::copy_n(x + 2 * table.pairs, rest, to + 2 * table.pairs);
    }
  }
}

}  // namespace yardstick::models::kernels
