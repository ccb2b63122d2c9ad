// The row-wise operations around the projections of the LibTorch stack.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "models/decoder/config.hpp"

namespace yardstick::models {

/// A norm over the last dimension, in f32.
struct NormLayer {
  Norm norm;
  at::Tensor weight;  ///< [width] f32, or one a head [heads, width], or undefined
  at::Tensor bias;    ///< like weight

  /// x [rows, width] or [rows, heads, width] f32 -> the same shape.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

/// The norm of queries or keys: of each of a row's parts.
struct QkNormLayer {
  std::int64_t parts = 1;
  NormLayer norm;

  /// x [rows, heads, D] f32 -> the same shape.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
};

/// What follows the MLP's first projection: rows [gate | up] of [rows, 2F] if gated, else
/// [rows, F] -> [rows, F] f32.
[[nodiscard]] at::Tensor activate(const DecoderConfig& config, const at::Tensor& projected);

}  // namespace yardstick::models
