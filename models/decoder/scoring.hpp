// Inside the room: what configuration and encoding say about each layer's attention.
#pragma once

#include <vector>

#include "models/decoder/config.hpp"
#include "models/kernels/scoring.hpp"

namespace yardstick::models {

/// Of all layers, [L]. `encoding` must outlive the result.
[[nodiscard]] std::vector<kernels::Scoring> layer_scorings(const DecoderConfig& config,
                                                           const position::Encoding& encoding);

}  // namespace yardstick::models
