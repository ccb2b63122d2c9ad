// The table of scalings, and the checks that they share.
#include "models/position/scaling/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::position {
namespace {

ScalingRule unscaled_rule() {
  return {.kind = ScalingKind::kNone,
          .name = "default",
          .length_use = LengthUse::kNone,
          .validate = [](const Scaling&, const Bank&) {},
          .apply = [](const Scaling&, const Bank&, std::int64_t, std::span<double>) {},
          .attention_factor = no_attention_factor};
}

void require_positive(double value, std::string_view field, const Scaling& scaling) {
  if (std::isfinite(value) && value > 0.0) return;
  throw Error(ErrorKind::kModel,
              fmt::format("position plan: scaling '{}': {} is {}; expected a positive number",
                          to_string(scaling.kind), field, value));
}

}  // namespace

ScalingRule scaling_rule(ScalingKind kind) {
  static const std::array<ScalingRule, 11> kRules = {
      unscaled_rule(),       linear_rule(),      ntk_rule(),         ntk_by_parts_rule(),
      dynamic_linear_rule(), dynamic_ntk_rule(), yarn_rule(),        dynamic_yarn_rule(),
      llama3_rule(),         longrope_rule(),    proportional_rule()};
  for (const ScalingRule& rule : kRules) {
    if (rule.kind == kind) return rule;
  }
  throw Error(ErrorKind::kInternal, "a scaling kind has no rule");
}

void validate_scaling(const Scaling& scaling, const Bank& bank) {
  require_positive(scaling.factor, "factor", scaling);
  if (scaling.attention_factor) {
    require_positive(*scaling.attention_factor, "attention_factor", scaling);
  }
  scaling_rule(scaling.kind).validate(scaling, bank);
}

double attention_factor(const Scaling& scaling, std::int64_t total_length) {
  if (scaling.attention_factor) return *scaling.attention_factor;
  return scaling_rule(scaling.kind).attention_factor(scaling, total_length);
}

double pair_of_rotations(double rotations, const Scaling& scaling, const Bank& bank) {
  const double length = static_cast<double>(scaling.original_length);
  return static_cast<double>(bank.dims) * std::log(length / (2.0 * std::numbers::pi * rotations)) /
         (2.0 * std::log(bank.theta));
}

Ramp ramp(double most_rotations, double fewest_rotations, const Scaling& scaling,
          const Bank& bank) {
  double low = pair_of_rotations(most_rotations, scaling, bank);
  double high = pair_of_rotations(fewest_rotations, scaling, bank);
  if (scaling.ramp_ends == Scaling::RampEnds::kWhole) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  Ramp out{std::max(low, 0.0), std::min(high, static_cast<double>(bank.dims - 1))};
  if (out.low == out.high) out.high += 0.001;
  return out;
}

double Ramp::at(std::size_t pair) const {
  return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
}

void require_original_length(const Scaling& scaling) {
  if (scaling.original_length > 0) return;
  throw Error(
      ErrorKind::kModel,
      fmt::format("position plan: scaling '{}' needs original_max_position_embeddings, the length "
                  "in tokens that the unscaled model was trained with; found {}",
                  to_string(scaling.kind), scaling.original_length));
}

}  // namespace yardstick::position
