// The projections of the LibTorch stack.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"

namespace yardstick::models {

/// One projection, or several of the same input fused into one product (q, k, v; gate, up).
///
/// at::linear in the weights' dtype; f16 on the CPU, where LibTorch 1.13 has no product, is
/// computed in f32 from the f16 weights.
class Linear {
 public:
  struct Part {
    at::Tensor weight;  ///< [n, K]
    at::Tensor bias;    ///< [n], or undefined
  };

  Linear() = default;
  explicit Linear(std::vector<Part> parts,
                  attention::Need::Gradient gradient = attention::Need::Gradient::kNone);

  /// x [rows, K] f32 -> [rows, N] f32, N the sum of the parts' n.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  std::vector<Part> parts_;  // one part after fusing, several while gradients are needed
};

}  // namespace yardstick::models
