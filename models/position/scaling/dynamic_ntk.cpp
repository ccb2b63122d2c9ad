// Dynamic NTK: the base grows with the sequence once it is longer than the original length M, so
// that the lowest frequency stretches and the highest stays. With T the total length and s the
// factor: theta' = theta * a^(d/(d-2)), a = s T/M - (s-1); unchanged for T <= M.
// Source: Hugging Face transformers' rope utilities, after emozilla 2023.
#include "models/position/scaling/scaling.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

void validate(const Scaling& scaling, const Bank& bank) {
  require_original_length(scaling);
  if (scaling.factor < 1.0) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: scaling 'dynamic': factor is {}; expected 1 or more",
                            scaling.factor));
  }
  if (bank.dims <= 2) {
    throw Error(ErrorKind::kModel,
                fmt::format("position plan: scaling 'dynamic' needs at least 4 rotary dims (its "
                            "exponent is d / (d - 2)); found {}",
                            bank.dims));
  }
}

void apply(const Scaling& scaling, const Bank& bank, std::int64_t total_length,
           std::span<double> frequencies) {
  if (total_length <= scaling.original_length) return;
  const double stretch =
      static_cast<double>(total_length) / static_cast<double>(scaling.original_length);
  const double a = scaling.factor * stretch - (scaling.factor - 1.0);
  // theta'^(-2i/d) = theta^(-2i/d) * a^(-2i/(d-2)).
  const double dims = static_cast<double>(bank.dims);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] *= std::pow(a, -2.0 * static_cast<double>(i) / (dims - 2.0));
  }
}

}  // namespace

ScalingRule dynamic_ntk_rule() {
  return {.kind = ScalingKind::kDynamicNtk,
          .name = "dynamic",
          .length_use = LengthUse::kTotal,
          .validate = validate,
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
