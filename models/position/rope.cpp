// Rotary position embedding: pair i of a head turns by position x frequency_i.
// Source: Su et al. 2021 (arXiv 2104.09864), sec. 3.2.2. A frequency below the plan's floor is 0,
// which leaves its pair alone (the "clipped" half of FoPE without its series).
#include <span>
#include <utility>

#include "models/position/factories.hpp"
#include "models/position/frequencies.hpp"
#include "models/position/scaling/scaling.hpp"
#include "models/position/tables.hpp"

namespace yardstick::position {
namespace {

class Rope final : public Encoding {
 public:
  explicit Rope(PositionPlan plan)
      : plan_(std::move(plan)),
        length_use_(scaling_rule(plan_.scaling.kind).length_use),
        unstretched_(frequency_table(plan_, 0)) {}

  const PositionPlan& plan() const override { return plan_; }

  std::optional<RotationShape> rotation(std::int64_t /*layer*/) const override { return shape(); }

  void fill_rotation(const RotationQuery& query, std::span<float> cos,
                     std::span<float> sin) const override {
    check_query(query, shape(), length_use_, cos, sin);
    std::vector<double> rows = positions(query, plan_.reach);
    if (plan_.turn == PositionPlan::Turn::kBackward)
      for (double& row : rows) row = -row;
    if (length_use_ == LengthUse::kNone) {
      fill_waves(rows, unstretched_.values, unstretched_.attention_factor, cos, sin);
      return;
    }
    const FrequencyTable table = frequency_table(plan_, query.total_length);
    fill_waves(rows, table.values, table.attention_factor, cos, sin);
  }

  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override { return {}; }

  LengthUse length_use() const override { return length_use_; }

  std::optional<std::int64_t> longest_sequence() const override { return std::nullopt; }

  std::vector<double> frequencies(std::int64_t total_length) const override {
    const FrequencyTable table = frequency_table(plan_, total_length);
    return {table.values.begin(), table.values.end()};
  }

 private:
  RotationShape shape() const {
    return {.table_heads = 1,
            .pairs = plan_.rotary_dims / 2,
            .layout = plan_.layout,
            .table_set = 0,
            .sides = sides_of(plan_.reach)};
  }

  PositionPlan plan_;
  LengthUse length_use_;
  FrequencyTable unstretched_;  ///< the table of every length where length_use_ is kNone
};

}  // namespace

std::unique_ptr<const Encoding> make_rope(PositionPlan plan, std::vector<LayerParameters>) {
  return std::make_unique<Rope>(std::move(plan));
}

}  // namespace yardstick::position
