// Inside the room: the register tile that every product of f32 matrices is made of.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

inline constexpr std::int64_t kMostTileRows = 12;     ///< that a call takes
inline constexpr std::int64_t kMostTileColumns = 32;  ///< a multiple of every CPU's panel

/// out [rows, columns] (+)= x [rows, depth] panel [depth, columns]; the panel's rows lie end to
/// end.
struct Tile {
  const float* x = nullptr;
  std::int64_t x_stride = 0;
  const float* panel = nullptr;
  std::int64_t depth = 0;
  float* out = nullptr;
  std::int64_t out_stride = 0;
};

/// Each number of `out` is one chain of fused multiply-adds over the depth in order, from 0 or from
/// what `out` holds. So every tile height and instruction set gives the same bits, and a product in
/// several depth steps those of one step; only a CPU without FMA rounds differently.
using TileFunction = void (*)(const Tile& tile, std::int64_t rows);
struct TileFunctions {
  TileFunction product;     ///< out = x panel
  TileFunction accumulate;  ///< out += x panel
  std::int64_t columns;     ///< a panel: 16 or 32
};

/// The fastest for this CPU.
[[nodiscard]] const TileFunctions& tile_functions();

}  // namespace yardstick::models::kernels
