// Norms and activations, with a CPU kernel and a LibTorch form of each.
#include "models/decoder/layers.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>

#include "core/error.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models {
namespace {

using Gradient = attention::Need::Gradient;

bool uses_kernels(const at::Tensor& x, Gradient gradient) {
  return gradient == Gradient::kNone && x.device().is_cpu();
}

}  // namespace

at::Tensor NormLayer::operator()(const at::Tensor& x) const {
  const std::int64_t width = x.size(-1);
  if (kind == NormKind::kLayer) return at::layer_norm(x, {width}, weight, bias, epsilon);
  if (uses_kernels(x, gradient)) {
    const at::Tensor rows = x.contiguous();
    at::Tensor out = at::empty_like(rows);
    kernels::rms_norm(rows.data_ptr<float>(), weight.defined() ? weight.data_ptr<float>() : nullptr,
                      epsilon, {rows.numel() / width, width}, out.data_ptr<float>());
    if (bias.defined()) out.add_(bias);
    return out;
  }
  at::Tensor out = x.mul(x.mul(x).mean(-1, true).add(epsilon).rsqrt());
  if (weight.defined()) out = out.mul(weight);
  if (bias.defined()) out = out.add(bias);
  return out;
}

at::Tensor activate(Mlp mlp, const at::Tensor& projected, Gradient gradient) {
  const bool own = uses_kernels(projected, gradient) && projected.is_contiguous();
  switch (mlp) {
    case Mlp::kSwiGlu: {
      const std::int64_t width = projected.size(1) / 2;
      if (own) {
        at::Tensor out = at::empty({projected.size(0), width}, projected.options());
        kernels::silu_multiply(projected.data_ptr<float>(), {projected.size(0), width},
                               out.data_ptr<float>());
        return out;
      }
      return at::silu(projected.narrow(1, 0, width)).mul(projected.narrow(1, width, width));
    }
    case Mlp::kGelu:
      if (own) {
        kernels::gelu(projected.data_ptr<float>(), {projected.size(0), projected.size(1)});
        return projected;
      }
      return at::gelu(projected);
    case Mlp::kRelu: return at::relu(projected);
  }
  check(false, "every activation is handled");
  return {};
}

}  // namespace yardstick::models
