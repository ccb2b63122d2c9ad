// Proportional: the first pairs of the whole head turn, the others stand still; perhaps all divided
// by a factor. Unlike a partial rotation the frequencies are those of the whole head.
// Source: the "proportional" type of Hugging Face transformers' rope utilities (Gemma 4).
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

void validate(const Scaling& scaling, const Bank& /*bank*/) {
  if (scaling.proportion > 0.0 && scaling.proportion <= 1.0) return;
  throw Error(ErrorKind::kModel,
              fmt::format("position plan: scaling 'proportional': partial_rotary_factor is {}; "
                          "expected a share above 0, at most 1",
                          scaling.proportion));
}

void apply(const Scaling& scaling, const Bank& bank, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  const auto turning = static_cast<std::size_t>(
      std::floor(scaling.proportion * static_cast<double>(bank.dims) / 2.0));
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = i < turning ? frequencies[i] / scaling.factor : 0.0;
}

}  // namespace

ScalingRule proportional_rule() {
  return {.kind = ScalingKind::kProportional,
          .name = "proportional",
          .length_use = LengthUse::kNone,
          .validate = validate,
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
