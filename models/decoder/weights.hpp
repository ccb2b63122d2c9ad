// The decoder's tensors by name: which there must be, with what shape.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/config.hpp"

namespace yardstick::models {

using Weights = std::map<std::string, at::Tensor>;

/// Every tensor that a decoder of `config` has, FoPE's coefficients aside (they belong to the
/// encoding), with its shape. Names as in models/arch/architecture.hpp.
[[nodiscard]] std::map<std::string, std::vector<std::int64_t>> weight_shapes(
    const DecoderConfig& config);

/// @throws Error(kModel) with one line for each weight that is missing, unexpected or mis-shaped.
void check_weights(const DecoderConfig& config, const Weights& weights);

}  // namespace yardstick::models
