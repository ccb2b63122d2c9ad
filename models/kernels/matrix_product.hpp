// Products with a weight matrix on the CPU, f32. A row's result depends on that row alone, to the
// last bit, which LibTorch's products do not promise. Free of torch.
#pragma once

#include <cstdint>
#include <span>

#include "models/kernels/aligned.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

/// Numbers between rows of `width` numbers that a product reads: a row more than a power of two
/// apart, so that rows of one tile do not meet in the same cache set and bank.
[[nodiscard]] constexpr std::int64_t padded_width(std::int64_t width) { return width + 17; }

/// How weights are kept: as they are, or rounded to bfloat16 (half the memory). Products are f32
/// either way.
enum class WeightStorage { kFloat32, kBFloat16 };

/// A weight matrix [N, K] laid out for products: panels of columns, transposed.
class PackedMatrix {
 public:
  /// Stacks row-major matrices [n_i, K] of `columns` = K numbers a row.
  PackedMatrix(std::span<const std::span<const float>> parts, std::int64_t columns,
               WeightStorage storage = WeightStorage::kFloat32);

  [[nodiscard]] std::int64_t rows() const { return rows_; }        ///< N
  [[nodiscard]] std::int64_t columns() const { return columns_; }  ///< K

  /// out [count, N] = x [count, K] times the matrix transposed. Each number is one chain of fused
  /// multiply-adds over K in order. Threads share the work, unless the caller is one of several.
  void multiply(const ConstRows& x, const Rows& out) const;

  /// out += the same; the chain starts from what `out` holds.
  void multiply_add(const ConstRows& x, const Rows& out) const;

  /// Outputs [first, first + count) of multiply() alone, serially; `first` a multiple of 32.
  struct Outputs {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  void multiply_some(const ConstRows& x, const Outputs& outputs, const Rows& out) const;

  /// Row n of the matrix [K].
  void copy_row(std::int64_t n, float* out) const;

 private:
  enum class Start { kZero, kOut };
  void product(const ConstRows& x, Start start, const Rows& out) const;
  /// Depths [k, k + depth) of a panel in f32; `room` is used where it has to be made.
  [[nodiscard]] const float* panel(std::int64_t output, std::int64_t k, std::int64_t depth,
                                   float* room) const;
  void product_of(const ConstRows& x, const Outputs& outputs, Start start, const Rows& out) const;

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t panel_ = 0;               // columns a panel
  AlignedArray<float> panels_;           // [ceil(N / panel), K, panel], or null
  AlignedArray<std::uint16_t> rounded_;  // the same in bfloat16, or null
};

}  // namespace yardstick::models::kernels
