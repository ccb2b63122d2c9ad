// Products with a weight matrix on the CPU, f32. A row's result depends on that row alone, to the
// last bit, which LibTorch's products do not promise. Free of torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace yardstick::models::kernels {

/// A weight matrix [N, K] laid out for multiply(): panels of columns, transposed.
class PackedMatrix {
 public:
  /// Stacks row-major matrices [n_i, K] of `columns` = K numbers a row.
  PackedMatrix(std::span<const std::span<const float>> parts, std::int64_t columns);

  [[nodiscard]] std::int64_t rows() const { return rows_; }        ///< N
  [[nodiscard]] std::int64_t columns() const { return columns_; }  ///< K

  /// out [count, N] = x [count, K] times the matrix transposed. Each number is one chain of fused
  /// multiply-adds over K in order.
  void multiply(const float* x, std::int64_t count, float* out) const;

 private:
  struct RowRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  void multiply_panel(RowRange range, std::int64_t panel, const float* x, float* out) const;

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<float> panels_;  // [ceil(N / 32), K, 32]
};

}  // namespace yardstick::models::kernels
