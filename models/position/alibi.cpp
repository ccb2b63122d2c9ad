// ALiBi: attention adds -slope x distance to the scaled scores; nothing else knows positions.
// Source: Press et al. 2021 (arXiv 2108.12409), sec. 3, and the authors' code for head counts that
// are no power of two; the OLMo family uses the geometric rule for every head count instead.
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "models/position/unrotated.hpp"

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

class AlibiEncoding final : public Unrotated {
 public:
  using Unrotated::Unrotated;

  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override {
    const Alibi& alibi = plan().alibi;
    std::vector<double> slopes;
    for (std::int64_t h = 0; h < plan().heads; ++h) {
      slopes.push_back(alibi.slopes == SlopeRule::kGeometric
                           ? geometric_slope(alibi.bias_max, h, plan().heads)
                           : interleaved_slope(alibi.bias_max, h, plan().heads));
    }
    return slopes;
  }
};

}  // namespace

std::unique_ptr<const Encoding> make_alibi(PositionPlan plan) {
  if (!std::isfinite(plan.alibi.bias_max) || plan.alibi.bias_max <= 0.0) {
    throw field_error(plan, "alibi_bias_max", fmt::to_string(plan.alibi.bias_max),
                      "a positive number");
  }
  return std::make_unique<AlibiEncoding>(std::move(plan));
}

}  // namespace yardstick::position
