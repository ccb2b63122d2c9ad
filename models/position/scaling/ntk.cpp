// NTK-aware scaling: one larger base, chosen so that the lowest frequency is divided by the factor
// and the highest stays. theta' = theta * s^(d/(d-2)).
// Source: bloc97 2023, as the YaRN paper (arXiv 2309.00071) states it in sec. 3.1.
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

void validate(const Scaling& /*scaling*/, const Bank& bank) {
  if (bank.dims > 2) return;
  throw Error(ErrorKind::kModel,
              fmt::format("position plan: scaling 'ntk' needs at least 4 rotary dims (its exponent "
                          "is d / (d - 2)); found {}",
                          bank.dims));
}

void apply(const Scaling& scaling, const Bank& bank, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] *= std::pow(scaling.factor,
                               -2.0 * static_cast<double>(i) / static_cast<double>(bank.dims - 2));
}

}  // namespace

ScalingRule ntk_rule() {
  return {.kind = ScalingKind::kNtk,
          .name = "ntk",
          .length_use = LengthUse::kNone,
          .validate = validate,
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
