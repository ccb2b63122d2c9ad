// Position interpolation: every frequency divided by one factor.
// Source: Chen et al. 2023 (arXiv 2306.15595), eq. 4.
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

void apply(const Scaling& scaling, const Bank& /*bank*/, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  for (double& frequency : frequencies) frequency /= scaling.factor;
}

}  // namespace

ScalingRule linear_rule() {
  return {.kind = ScalingKind::kLinear,
          .name = "linear",
          .length_use = LengthUse::kNone,
          .validate = [](const Scaling&, const Bank&) {},
          .apply = apply,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
