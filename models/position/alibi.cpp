// ALiBi: attention adds -slope x distance to the scaled scores; nothing else knows positions.
// Source: Press et al. 2021 (arXiv 2108.12409), sec. 3, and the authors' code for head counts that
// are no power of two; the OLMo family uses the geometric rule for every head count instead.
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/position/distance_bias.hpp"

namespace yardstick::position {
namespace {

/// Slope h (from 0) of a geometric list for `count` heads: 2^(-bias_max (h+1) / count).
double geometric_slope(double bias_max, std::int64_t h, std::int64_t count) {
  return std::exp2(-bias_max * static_cast<double>(h + 1) / static_cast<double>(count));
}

/// The list for P heads, P the greatest power of two up to H, then entries 0, 2, 4, ... of the list
/// for 2P heads.
double interleaved_slope(double bias_max, std::int64_t h, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  if (h < power) return geometric_slope(bias_max, h, power);
  return geometric_slope(bias_max, 2 * (h - power), 2 * power);
}

std::vector<double> slopes_of(const PositionPlan& plan) {
  std::vector<double> slopes;
  for (std::int64_t h = 0; h < plan.heads; ++h) {
    slopes.push_back(plan.alibi.slopes == SlopeRule::kGeometric
                         ? geometric_slope(plan.alibi.bias_max, h, plan.heads)
                         : interleaved_slope(plan.alibi.bias_max, h, plan.heads));
  }
  return slopes;
}

/// The distances are those of the sequence: attention makes the bias itself from the slopes.
class PlainAlibi final : public Unrotated {
 public:
  using Unrotated::Unrotated;

  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override {
    return slopes_of(plan());
  }
};

/// The reach changes distances.
class ReachingAlibi final : public DistanceBias {
 public:
  explicit ReachingAlibi(PositionPlan plan)
      : DistanceBias(std::move(plan)), slopes_(slopes_of(this->plan())) {}

 protected:
  float at_distance(const BiasQuery& query, double distance) const override {
    return static_cast<float>(-slopes_[static_cast<std::size_t>(query.head)] * distance);
  }

 private:
  std::vector<double> slopes_;
};

/// To the nearest bfloat16, ties to even.
float rounded_to_bfloat16(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits += 0x7FFFU + ((bits >> 16U) & 1U);
  return std::bit_cast<float>(bits & 0xFFFF0000U);
}

/// Falcon counts from the start of the sequence, in bfloat16, and divides the bias like the scores.
class FalconAlibi final : public Unrotated {
 public:
  explicit FalconAlibi(PositionPlan plan)
      : Unrotated(std::move(plan)),
        scale_(1.0 / std::sqrt(static_cast<double>(this->plan().head_dim))) {
    for (const double slope : slopes_of(this->plan()))
      slopes_.push_back(rounded_to_bfloat16(static_cast<float>(slope)));
  }

  bool has_bias(std::int64_t /*layer*/) const override { return true; }

  void fill_bias(const BiasQuery& query, std::span<float> bias) const override {
    const float slope = slopes_[static_cast<std::size_t>(query.head)];
    std::int64_t key = query.first_key;
    for (float& value : bias) {
      const float product =
          rounded_to_bfloat16(slope * rounded_to_bfloat16(static_cast<float>(key)));
      value = static_cast<float>(product * scale_);
      ++key;
    }
  }

 private:
  double scale_;
  std::vector<float> slopes_;  // [H]
};

}  // namespace

std::unique_ptr<const Encoding> make_alibi(PositionPlan plan, std::vector<LayerParameters>) {
  if (!std::isfinite(plan.alibi.bias_max) || plan.alibi.bias_max <= 0.0) {
    throw field_error(plan, "alibi_bias_max", fmt::to_string(plan.alibi.bias_max),
                      "a positive number");
  }
  const ReachKind reach = plan.reach.kind;
  const bool keeps_distances = reach == ReachKind::kAll || reach == ReachKind::kWindow;
  if (plan.alibi.form == Alibi::Form::kFalcon) {
    if (!keeps_distances) {
      throw field_error(plan, "reach", to_string(reach),
                        "all or sliding_window, for Falcon's bias counts keys from the start");
    }
    return std::make_unique<FalconAlibi>(std::move(plan));
  }
  if (keeps_distances) return std::make_unique<PlainAlibi>(std::move(plan));
  return std::make_unique<ReachingAlibi>(std::move(plan));
}

}  // namespace yardstick::position
