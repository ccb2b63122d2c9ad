// Inside the room: the checks and the scatter of per-sequence results that backends share.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"

namespace yardstick::attention {

/// Shapes and dtypes that attend() promises to accept; sequences in row order, not overlapping.
/// @throws Error(kInternal)
void check_inputs(const Inputs& inputs);

/// Results [n_i, H, D] of each sequence, laid into [T, H, D] with zeros where no sequence is.
/// Contiguous, differentiable.
[[nodiscard]] at::Tensor join_rows(const Inputs& inputs, const std::vector<at::Tensor>& results);

/// One side of the sequence's prefix and its suffix, [..., P + n, G, D].
[[nodiscard]] at::Tensor with_prefix(const Sequence& sequence, at::Tensor Segment::*side,
                                     const at::Tensor& suffix);

}  // namespace yardstick::attention
