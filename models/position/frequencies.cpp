// From a plan to its frequency list: formula, scaling and floor, in the plan's order.
#include "models/position/frequencies.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/position/factories.hpp"
#include "models/position/scaling/scaling.hpp"

namespace yardstick::position {
namespace {

constexpr std::int64_t kMostDims = 1 << 20;

std::int64_t bank_dims(const PositionPlan& plan) {
  if (plan.kind != Kind::kFope) return plan.rotary_dims;
  // The reference code widens the bank only by a fourier_dim above head_dim.
  return std::max(plan.fope.bank_dims, plan.head_dim);
}

void validate(const PositionPlan& plan) {
  if (plan.rotary_dims < 2 || plan.rotary_dims % 2 != 0 || plan.rotary_dims > plan.head_dim) {
    throw field_error(plan, "rotary_dims", fmt::to_string(plan.rotary_dims),
                      fmt::format("an even number from 2 to head_dim ({})", plan.head_dim));
  }
  const std::int64_t dims = bank_dims(plan);
  if (dims % 2 != 0 || dims > kMostDims) {
    throw field_error(plan, "fourier_dim", fmt::to_string(dims),
                      fmt::format("an even number up to {}", kMostDims));
  }
  if (!std::isfinite(plan.theta) || plan.theta <= 0.0) {
    throw field_error(plan, "rope_theta", fmt::to_string(plan.theta), "a positive number");
  }
  if (!std::isfinite(plan.floor_frequency) || plan.floor_frequency < 0.0) {
    throw field_error(plan, "floor_frequency", fmt::to_string(plan.floor_frequency),
                      "0 or a positive number of radians a token");
  }
  validate_scaling(plan.scaling, Bank{plan.theta, dims});
}

/// Strictly below the floor becomes 0; both sides in f32.
void clamp(const PositionPlan& plan, std::vector<double>& frequencies) {
  if (plan.floor_frequency == 0.0) return;
  const auto floor = static_cast<float>(plan.floor_frequency);
  for (double& frequency : frequencies) {
    if (static_cast<float>(frequency) < floor) frequency = 0.0;
  }
}

std::vector<float> to_floats(const std::vector<double>& values) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(static_cast<float>(value));
  return out;
}

}  // namespace

FrequencyTable frequency_table(const PositionPlan& plan, std::int64_t total_length) {
  validate(plan);
  const Bank bank{plan.theta, bank_dims(plan)};
  std::vector<double> frequencies(static_cast<std::size_t>(bank.dims / 2));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] =
        std::pow(bank.theta, -2.0 * static_cast<double>(i) / static_cast<double>(bank.dims));
  }
  FrequencyTable table;
  table.unscaled = to_floats(frequencies);
  const ScalingRule rule = scaling_rule(plan.scaling.kind);
  if (plan.clamp_order == ClampOrder::kClampThenScale) clamp(plan, frequencies);
  rule.apply(plan.scaling, bank, total_length, frequencies);
  if (plan.clamp_order == ClampOrder::kScaleThenClamp) clamp(plan, frequencies);
  table.values = to_floats(frequencies);
  table.attention_factor = attention_factor(plan.scaling, total_length);
  return table;
}

FopeCounts fope_counts(const PositionPlan& plan) {
  const FrequencyTable table = frequency_table(plan, 0);
  const auto bank = static_cast<std::int64_t>(table.values.size());
  if (plan.fope.zeros == Fope::Zeros::kKept) return {bank, plan.head_dim / 2};
  const std::int64_t survivors = bank - std::ranges::count(table.values, 0.0F);
  const bool is_limited = plan.fope.outputs == Fope::Outputs::kUpToQuarter;
  return {survivors, is_limited ? std::min(survivors, plan.head_dim / 4) : survivors};
}

}  // namespace yardstick::position
