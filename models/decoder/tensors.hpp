// The decoder's tensors, derived from its configuration. Free of torch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/decoder/config.hpp"

namespace yardstick::models {

struct DecoderTensor {
  std::string name;  ///< as models/arch/architecture.hpp lists them
  std::vector<std::int64_t> shape;
};

/// Every weight that a decoder of `config` has, FoPE's coefficients aside (they belong to the
/// encoding), in the order of the layers.
[[nodiscard]] std::vector<DecoderTensor> decoder_tensors(const DecoderConfig& config);

}  // namespace yardstick::models
