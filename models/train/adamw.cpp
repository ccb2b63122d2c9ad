#include "models/train/adamw.hpp"

#include <cmath>
#include <utility>

#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

namespace yardstick::models {
namespace {

constexpr double kEpsilon = 1e-8;

double global_norm(const std::vector<Parameter>& parameters) {
  double squares = 0.0;
  for (const Parameter& parameter : parameters) {
    const at::Tensor& gradient = parameter.weight.grad();
    squares += gradient.mul(gradient).sum(at::kDouble).item<double>();
  }
  return std::sqrt(squares);
}

void update(Parameter& parameter, const AdamWStep& options, double gradient_scale) {
  const auto step = static_cast<double>(options.step);
  const double correction1 = 1.0 - std::pow(options.beta1, step);
  const double correction2 = 1.0 - std::pow(options.beta2, step);
  const at::Tensor gradient = parameter.weight.grad().mul(gradient_scale);
  parameter.first_moment.mul_(options.beta1).add_(gradient, 1.0 - options.beta1);
  parameter.second_moment.mul_(options.beta2).addcmul_(gradient, gradient, 1.0 - options.beta2);
  if (parameter.weight.dim() > 1) {
    parameter.weight.mul_(1.0 - options.learning_rate * options.weight_decay);
  }
  const at::Tensor root = parameter.second_moment.div(correction2).sqrt_().add_(kEpsilon);
  parameter.weight.addcdiv_(parameter.first_moment, root, -options.learning_rate / correction1);
}

}  // namespace

Parameter make_parameter(std::string name, const std::vector<std::int64_t>& shape,
                         const std::vector<float>& values) {
  // from_blob wants a mutable pointer; the clone reads it once.
  auto* data = const_cast<float*>(values.data());
  at::Tensor weight = at::from_blob(data, shape, at::kFloat).clone();
  weight.requires_grad_(true);
  return {.name = std::move(name),
          .weight = std::move(weight),
          .first_moment = at::zeros(shape, at::kFloat),
          .second_moment = at::zeros(shape, at::kFloat)};
}

double apply_adamw(std::vector<Parameter>& parameters, const AdamWStep& options) {
  const c10::NoGradGuard no_gradient;
  const double norm = global_norm(parameters);
  if (!std::isfinite(norm)) return norm;
  const bool clips = options.clip_norm > 0.0 && norm > options.clip_norm;
  const double scale = clips ? options.clip_norm / norm : 1.0;
  for (Parameter& parameter : parameters) {
    update(parameter, options, scale);
    parameter.weight.mutable_grad().reset();
  }
  return norm;
}

}  // namespace yardstick::models
