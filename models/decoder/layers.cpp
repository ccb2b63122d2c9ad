// Norms and activations in LibTorch's operations.
#include "models/decoder/layers.hpp"

#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

namespace yardstick::models {

at::Tensor NormLayer::operator()(const at::Tensor& x) const {
  if (kind == NormKind::kLayer) return at::layer_norm(x, {x.size(-1)}, weight, bias, epsilon);
  at::Tensor out = x.mul(x.mul(x).mean(-1, true).add(epsilon).rsqrt());
  if (weight.defined()) out = out.mul(weight);
  if (bias.defined()) out = out.add(bias);
  return out;
}

at::Tensor activate(const DecoderConfig& config, const at::Tensor& projected) {
  if (config.mlp == MlpForm::kGated) {
    const std::int64_t width = projected.size(1) / 2;
    return at::silu(projected.narrow(1, 0, width)).mul(projected.narrow(1, width, width));
  }
  return config.activation == Activation::kGelu ? at::gelu(projected) : at::relu(projected);
}

}  // namespace yardstick::models
