// Norms and activations in LibTorch's operations.
#include "models/decoder/layers.hpp"

#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

at::Tensor activation(Activation activation, const at::Tensor& x) {
  switch (activation) {
    case Activation::kSilu: return at::silu(x);
    case Activation::kGelu: return at::gelu(x);
    case Activation::kGeluTanh: return at::gelu(x, "tanh");
    case Activation::kRelu: return at::relu(x);
    case Activation::kReluSquared: return at::relu(x).square();
  }
  check(false, "an activation has an operation");
  return {};
}

}  // namespace

at::Tensor NormLayer::operator()(const at::Tensor& x) const {
  const bool has_offset = weight.defined() && norm.weight_offset != 0.0;
  const at::Tensor factor = has_offset ? weight.add(norm.weight_offset) : weight;
  const bool is_layer = norm.kind == NormKind::kLayer;
  if (is_layer && (!factor.defined() || factor.dim() == 1))
    return at::layer_norm(x, {x.size(-1)}, factor, bias, norm.epsilon);
  at::Tensor out = is_layer ? at::layer_norm(x, {x.size(-1)}, {}, {}, norm.epsilon)
                            : x.mul(x.mul(x).mean(-1, true).add(norm.epsilon).rsqrt());
  if (factor.defined()) out = out.mul(factor);
  if (bias.defined()) out = out.add(bias);
  return out;
}

at::Tensor QkNormLayer::operator()(const at::Tensor& x) const {
  return norm(x.reshape({x.size(0), parts, -1})).reshape(x.sizes());
}

at::Tensor activate(const DecoderConfig& config, const at::Tensor& projected) {
  if (config.mlp == MlpForm::kPlain) return activation(config.activation, projected);
  const std::int64_t width = projected.size(1) / 2;
  return activation(config.activation, projected.narrow(1, 0, width))
      .mul(projected.narrow(1, width, width));
}

}  // namespace yardstick::models
