// The seam for matrix products with weights: every projection of the decoder goes through Linear.
#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"
#include "models/kernels/matrix_product.hpp"

namespace yardstick::models {

/// One projection, or several of the same input fused into one product (q, k, v; gate, up).
///
/// Without gradients, f32 on the CPU: the project's own product, whose rows do not depend on their
/// neighbours (models/kernels). Otherwise at::linear in the weights' dtype; f16 on the CPU, where
/// LibTorch 1.13 has no product, is computed in f32 from the f16 weights.
class Linear {
 public:
  struct Part {
    at::Tensor weight;  ///< [n, K]
    at::Tensor bias;    ///< [n], or undefined
  };

  Linear() = default;
  Linear(std::vector<Part> parts, attention::Need::Gradient gradient);

  /// x [rows, K] f32 -> [rows, N] f32, N the sum of the parts' n.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  [[nodiscard]] at::Tensor packed_product(const at::Tensor& x) const;

  std::vector<Part> parts_;  // one part after fusing, several while gradients are needed
  std::optional<kernels::PackedMatrix> packed_;
  at::Tensor packed_bias_;  // [N], or undefined
};

}  // namespace yardstick::models
