// Rotation of query and key rows. Free of torch.
#pragma once

#include <cstdint>

#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

/// cos and sin of each row: [count, table_heads, pairs]; head h of H reads table h x table_heads /
/// H.
struct RotationTable {
  const float* cos = nullptr;
  const float* sin = nullptr;
  std::int64_t table_heads = 1;
  std::int64_t pairs = 0;
  enum class Layout { kHalves, kInterleaved } layout = Layout::kHalves;
};

/// How a row is divided.
struct Heads {
  std::int64_t count = 0;
  std::int64_t head_dim = 0;
};

/// (a, b) becomes (a cos - b sin, b cos + a sin) for each pair of each head of each row; elements
/// behind the pairs stay. `out` may be the rows. Serial.
void rotate(const ConstRows& rows, const Heads& heads, const RotationTable& table, const Rows& out);

}  // namespace yardstick::models::kernels
