// The row-wise layers around the projections of the LibTorch stack.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/decoder/config.hpp"

namespace yardstick::models {

/// A norm over the last dimension, in f32.
struct NormLayer {
  NormKind kind = NormKind::kRms;
  double epsilon = 1e-5;
  at::Tensor weight;  ///< [width] f32, or undefined
  at::Tensor bias;    ///< [width] f32, or undefined

  /// x [rows, width] f32 -> the same shape.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

/// What follows the MLP's first projection: rows [gate | up] of [rows, 2F] if gated, else
/// [rows, F] -> [rows, F] f32.
[[nodiscard]] at::Tensor activate(const DecoderConfig& config, const at::Tensor& projected);

}  // namespace yardstick::models
