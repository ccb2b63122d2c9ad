// xPos: RoPE whose queries grow and keys shrink with their position, so that a score decays with
// the distance: q_i zeta_i^(m / B), k_i zeta_i^(-n / B), zeta_i = (2i/d + 0.4) / 1.4. Source: Sun
// et al. 2022 (arXiv 2212.10554), sec. 3.2; B and the 0.4 as in the authors' code.
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "models/position/factories.hpp"
#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "models/position/tables.hpp"

namespace yardstick::position {
namespace {

constexpr double kGamma = 0.4;
/// Greatest exponent of e that a growing query may reach, well inside f32.
constexpr double kMostExponent = 80.0;

class XposEncoding final : public Encoding {
 public:
  explicit XposEncoding(PositionPlan plan)
      : plan_(std::move(plan)), table_(frequency_table(plan_, 0)) {
    const auto pairs = static_cast<double>(table_.values.size());
    for (std::size_t i = 0; i < table_.values.size(); ++i)
      log_zeta_.push_back(std::log((static_cast<double>(i) / pairs + kGamma) / (1.0 + kGamma)));
  }

  const PositionPlan& plan() const override { return plan_; }

  std::optional<RotationShape> rotation(std::int64_t /*layer*/) const override {
    return RotationShape{.table_heads = 1,
                         .pairs = plan_.rotary_dims / 2,
                         .layout = plan_.layout,
                         .table_set = 0,
                         .sides = RotationShape::Sides::kSeparate};
  }

  void fill_rotation(const RotationQuery& query, std::span<float> cos,
                     std::span<float> sin) const override {
    check_query(query, *rotation(query.layer), LengthUse::kNone, cos, sin);
    const std::vector<double> rows = positions(query, plan_.reach);
    fill_waves(rows, table_.values, table_.attention_factor, cos, sin);
    const double sign = query.side == RotationQuery::Side::kQuery ? 1.0 : -1.0;
    std::size_t at = 0;
    for (const double row : rows) {
      for (const double log_zeta : log_zeta_) {
        const double factor = std::exp(sign * log_zeta * row / plan_.xpos.scale_base);
        cos[at] = static_cast<float>(cos[at] * factor);
        sin[at] = static_cast<float>(sin[at] * factor);
        ++at;
      }
    }
  }

  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override { return {}; }
  LengthUse length_use() const override { return LengthUse::kNone; }

  /// Beyond, the keys leave the range of f32.
  std::optional<std::int64_t> longest_sequence() const override {
    return static_cast<std::int64_t>(kMostExponent * plan_.xpos.scale_base / -log_zeta_.front());
  }

  std::vector<double> frequencies(std::int64_t /*total_length*/) const override {
    return {table_.values.begin(), table_.values.end()};
  }

 private:
  PositionPlan plan_;
  FrequencyTable table_;
  std::vector<double> log_zeta_;  // [pairs]
};

}  // namespace

std::unique_ptr<const Encoding> make_xpos(PositionPlan plan, std::vector<LayerParameters>) {
  if (!std::isfinite(plan.xpos.scale_base) || plan.xpos.scale_base <= 0.0) {
    throw field_error(plan, "scale_base", fmt::to_string(plan.xpos.scale_base),
                      "a positive number of tokens");
  }
  if (scaling_rule(plan.scaling.kind).length_use != LengthUse::kNone) {
    throw field_error(plan, "scaling.rope_type", to_string(plan.scaling.kind),
                      "a scaling that does not depend on the evaluated length");
  }
  return std::make_unique<XposEncoding>(std::move(plan));
}

}  // namespace yardstick::position
