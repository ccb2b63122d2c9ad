// Linear: which product serves which device, dtype and mode.
#include "models/decoder/linear.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

/// The parts' biases behind each other, zeros where one has none; undefined if none has.
at::Tensor join_biases(const std::vector<Linear::Part>& parts) {
  std::vector<at::Tensor> biases;
  bool any = false;
  for (const Linear::Part& part : parts) {
    any = any || part.bias.defined();
    biases.push_back(part.bias.defined() ? part.bias
                                         : at::zeros({part.weight.size(0)}, part.weight.options()));
  }
  return any ? at::cat(biases) : at::Tensor();
}

Linear::Part join(const std::vector<Linear::Part>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<at::Tensor> weights;
  for (const Linear::Part& part : parts) weights.push_back(part.weight);
  return {at::cat(weights), join_biases(parts)};
}

}  // namespace

Linear::Linear(std::vector<Part> parts, attention::Need::Gradient gradient) {
  check(!parts.empty(), "a projection has a weight");
  if (gradient == attention::Need::Gradient::kNeeded) {
    parts_ = std::move(parts);
  } else {
    parts_ = {join(parts)};
  }
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  const Part part = join(parts_);
  if (part.weight.device().is_cpu() && part.weight.scalar_type() == at::kHalf) {
    const at::Tensor rounded = x.to(at::kHalf).to(at::kFloat);
    const at::Tensor bias = part.bias.defined() ? part.bias.to(at::kFloat) : at::Tensor();
    return at::linear(rounded, part.weight.to(at::kFloat), bias);
  }
  return at::linear(x.to(part.weight.scalar_type()), part.weight, part.bias).to(at::kFloat);
}

}  // namespace yardstick::models
