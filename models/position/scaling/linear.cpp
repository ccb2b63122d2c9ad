// Position interpolation: every frequency divided by one factor.
// Source: Chen et al. 2023 (arXiv 2306.15595), eq. 4. Dynamic: the factor is T / L for a sequence
// of T tokens longer than the original length L (the YaRN authors' code).
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

void apply(const Scaling& scaling, const Bank& /*bank*/, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  for (double& frequency : frequencies) frequency /= scaling.factor;
}

void apply_dynamic(const Scaling& scaling, const Bank& /*bank*/, std::int64_t total_length,
                   std::span<double> frequencies) {
  if (total_length <= scaling.original_length) return;
  const double factor =
      static_cast<double>(total_length) / static_cast<double>(scaling.original_length);
  for (double& frequency : frequencies) frequency /= factor;
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

ScalingRule dynamic_linear_rule() {
  return {.kind = ScalingKind::kDynamicLinear,
          .name = "dynamic_linear",
          .length_use = LengthUse::kTotal,
          .validate = [](const Scaling& scaling, const Bank&) { require_original_length(scaling); },
          .apply = apply_dynamic,
          .attention_factor = no_attention_factor};
}

}  // namespace yardstick::position
