// Rotation of query and key rows, in place. Free of torch.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

/// cos and sin of each row: [count, table_heads, pairs], table_heads = 1 or the rows' heads.
struct RotationTable {
  const float* cos = nullptr;
  const float* sin = nullptr;
  std::int64_t table_heads = 1;
  std::int64_t pairs = 0;
  enum class Layout { kHalves, kInterleaved } layout = Layout::kHalves;
};

/// Rows [count, heads, D], `stride` numbers apart.
struct HeadRows {
  float* x = nullptr;
  std::int64_t count = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t stride = 0;
};

/// (a, b) becomes (a cos - b sin, b cos + a sin) for each pair of each head; elements behind the
/// pairs stay.
void rotate(const HeadRows& rows, const RotationTable& table);

}  // namespace yardstick::models::kernels
