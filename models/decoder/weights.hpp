// The decoder's weights by name.
#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "models/decoder/config.hpp"

namespace yardstick::models {

using Weights = std::map<std::string, at::Tensor>;

/// @throws Error(kModel) with one line for each weight that is missing, unexpected or mis-shaped.
void check_weights(const DecoderConfig& config, const Weights& weights);

}  // namespace yardstick::models
