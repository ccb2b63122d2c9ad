// YaRN: frequencies that turn often within the original length L stay, those that turn less than
// about once are divided by s, and a ramp over the pair index joins them; cos and sin are
// multiplied by a temperature factor.
// Source: Peng et al. 2023 (arXiv 2309.00071), sec. 3.2 and 3.4, with the rounding of the authors'
// code: c(r) = d ln(L / (2 pi r)) / (2 ln theta), lo = max(floor c(beta_fast), 0),
// hi = min(ceil c(beta_slow), d - 1), hi += 0.001 where they meet. Dynamic YaRN, of the authors'
// code, takes s = T / L for a sequence of T tokens.
#include "models/position/scaling/scaling.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

void validate(const Scaling& scaling, const Bank& bank) {
  require_original_length(scaling);
  const auto refuse = [](std::string_view what) {
    throw Error(ErrorKind::kModel, fmt::format("position plan: scaling 'yarn': {}", what));
  };
  if (!(scaling.beta_slow > 0.0) || !(scaling.beta_fast > 0.0)) {
    refuse(fmt::format("beta_fast is {} and beta_slow is {}; expected positive numbers of turns",
                       scaling.beta_fast, scaling.beta_slow));
  }
  if (scaling.beta_fast < scaling.beta_slow) {
    refuse(
        fmt::format("beta_fast is {} and beta_slow is {}; expected the fast one to be the greater "
                    "number of turns: are they swapped?",
                    scaling.beta_fast, scaling.beta_slow));
  }
  if (!std::isfinite(scaling.yarn_mix)) refuse("the weight of the unscaled part is not finite");
  if (!(bank.theta > 1.0)) {
    refuse(fmt::format("rope_theta is {}; the ramp needs more than 1", bank.theta));
  }
}

void stretch(const Scaling& scaling, const Bank& bank, double factor,
             std::span<double> frequencies) {
  const Ramp blend = ramp(scaling.beta_fast, scaling.beta_slow, scaling, bank);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double unscaled_part = (1.0 - blend.at(i)) * scaling.yarn_mix;
    frequencies[i] =
        frequencies[i] / factor * (1.0 - unscaled_part) + frequencies[i] * unscaled_part;
  }
}

void apply(const Scaling& scaling, const Bank& bank, std::int64_t /*total_length*/,
           std::span<double> frequencies) {
  stretch(scaling, bank, scaling.factor, frequencies);
}

/// 0.1 m ln s + 1, or 1 where nothing is stretched.
double temperature(double factor, double scale) {
  return factor <= 1.0 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

double yarn_attention_factor(const Scaling& scaling, std::int64_t /*total_length*/) {
  const double scale = scaling.mscale.value_or(0.0);
  const double scale_all_dims = scaling.mscale_all_dim.value_or(0.0);
  // As in the reference code the pair counts only when both are given and not 0.
  if (scale != 0.0 && scale_all_dims != 0.0) {
    return temperature(scaling.factor, scale) / temperature(scaling.factor, scale_all_dims);
  }
  return temperature(scaling.factor, 1.0);
}

/// How many times longer than the original a sequence is, at least once.
double growth(const Scaling& scaling, std::int64_t total_length) {
  return std::max(1.0,
                  static_cast<double>(total_length) / static_cast<double>(scaling.original_length));
}

}  // namespace

ScalingRule yarn_rule() {
  return {.kind = ScalingKind::kYarn,
          .name = "yarn",
          .length_use = LengthUse::kNone,
          .validate = validate,
          .apply = apply,
          .attention_factor = yarn_attention_factor};
}

ScalingRule dynamic_yarn_rule() {
  return {.kind = ScalingKind::kDynamicYarn,
          .name = "dynamic_yarn",
          .length_use = LengthUse::kTotal,
          .validate = validate,
          .apply =
              [](const Scaling& scaling, const Bank& bank, std::int64_t total_length,
                 std::span<double> frequencies) {
                stretch(scaling, bank, growth(scaling, total_length), frequencies);
              },
          .attention_factor =
              [](const Scaling& scaling, std::int64_t total_length) {
                return temperature(growth(scaling, total_length), 1.0);
              }};
}

}  // namespace yardstick::position
