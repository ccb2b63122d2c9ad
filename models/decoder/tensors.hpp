// The decoder's tensors, derived from its configuration. Free of torch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/decoder/config.hpp"

namespace yardstick::models {

struct DecoderTensor {
  std::string name;  ///< as models/arch/architecture.hpp lists them
  std::vector<std::int64_t> shape;
};

/// Which norms stand around a layer's attention and MLP.
struct LayerNorms {
  bool attention = false;       ///< attn_norm, of what attention and perhaps the MLP read
  bool attention_post = false;  ///< attn_post_norm, of what attention adds
  bool mlp = false;             ///< mlp_norm, of what the MLP alone reads
  bool mlp_post = false;        ///< mlp_post_norm, of what the MLP adds
};
[[nodiscard]] LayerNorms layer_norms(const DecoderConfig& config);

/// The norm of a projection to `heads` heads: of `parts` of `width` numbers each.
struct QkNormShape {
  std::int64_t parts = 1;
  std::int64_t width = 0;
  std::int64_t weights = 0;  ///< width, or parts x width
};
/// Nothing if queries and keys have no norm.
[[nodiscard]] std::optional<QkNormShape> qk_norm_shape(const DecoderConfig& config,
                                                       std::int64_t heads);

/// Every weight that a decoder of `config` has, FoPE's coefficients aside (they belong to the
/// encoding), in the order of the layers.
[[nodiscard]] std::vector<DecoderTensor> decoder_tensors(const DecoderConfig& config);

}  // namespace yardstick::models
