// The layers of the LibTorch stack, built from weights by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"
#include "models/decoder/layers.hpp"
#include "models/decoder/linear.hpp"
#include "models/decoder/weights.hpp"

namespace yardstick::models {

struct Layer {
  std::optional<NormLayer> attention_norm;
  Linear qkv;
  std::optional<QkNormLayer> query_norm;
  std::optional<QkNormLayer> key_norm;
  Linear out;
  std::optional<NormLayer> attention_post_norm;
  std::optional<NormLayer> mlp_norm;  // attention's once more where both share it
  Linear mlp_in;                      // gate and up fused, or up alone
  Linear mlp_out;
  std::optional<NormLayer> mlp_post_norm;
};

/// Looks weights up by name while the layers are built.
class WeightReader {
 public:
  WeightReader(const DecoderConfig& config, const Weights& weights,
               attention::Need::Gradient gradient);

  /// Undefined if there is none.
  [[nodiscard]] at::Tensor find(const std::string& name) const;
  /// A norm of the residual stream.
  [[nodiscard]] NormLayer norm(const std::string& name) const;
  [[nodiscard]] Layer layer(std::int64_t index) const;

 private:
  [[nodiscard]] Linear linear(const std::vector<std::string>& names) const;
  [[nodiscard]] std::optional<QkNormLayer> qk_norm(const std::string& name,
                                                   std::int64_t heads) const;

  const DecoderConfig& config_;
  const Weights& weights_;
  attention::Need::Gradient gradient_;
};

}  // namespace yardstick::models
