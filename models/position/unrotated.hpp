// Inside the room: what none, learned and ALiBi share, the answers of an encoding that rotates
// nothing.
#pragma once

#include <utility>

#include "models/position/factories.hpp"

namespace yardstick::position {

class Unrotated : public Encoding {
 public:
  explicit Unrotated(PositionPlan plan) : plan_(std::move(plan)) {}

  const PositionPlan& plan() const override { return plan_; }
  std::optional<RotationShape> rotation(std::int64_t /*layer*/) const override {
    return std::nullopt;
  }
  void fill_rotation(const RotationQuery& /*query*/, std::span<float> /*cos*/,
                     std::span<float> /*sin*/) const override {
    check(false, "an encoding without rotation is not asked for tables");
  }
  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override { return {}; }
  LengthUse length_use() const override { return LengthUse::kNone; }
  std::optional<std::int64_t> longest_sequence() const override { return std::nullopt; }
  std::vector<double> frequencies(std::int64_t /*total_length*/) const override { return {}; }

 private:
  PositionPlan plan_;
};

}  // namespace yardstick::position
