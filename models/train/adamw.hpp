// AdamW with decoupled weight decay (Loshchilov & Hutter 2019, arXiv 1711.05101, algorithm 2) and
// clipping of the global gradient norm, on LibTorch tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace yardstick::models {

/// A trained tensor with its moments; all f32 of one shape.
struct Parameter {
  std::string name;
  at::Tensor weight;         ///< leaf, requires_grad
  at::Tensor first_moment;   ///< running mean of the gradient
  at::Tensor second_moment;  ///< running mean of its square
};

/// A parameter with zero moments. @param values row-major, copied
[[nodiscard]] Parameter make_parameter(std::string name, const std::vector<std::int64_t>& shape,
                                       const std::vector<float>& values);

struct AdamWStep {
  std::int64_t step = 1;  ///< counted from 1, for the bias correction
  double learning_rate = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double weight_decay = 0.1;  ///< of matrices; vectors (norm weights) do not decay
  double clip_norm = 1.0;     ///< of all gradients together; 0 = no clipping
};

/// Applies the gradients of `parameters` and clears them.
/// @returns the global gradient norm before clipping; nothing is changed if it is not finite.
double apply_adamw(std::vector<Parameter>& parameters, const AdamWStep& options);

}  // namespace yardstick::models
