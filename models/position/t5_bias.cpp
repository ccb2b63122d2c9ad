// T5's relative bias, causal: a learned number a head for each bucket of distances. Distances below
// buckets / 2 have a bucket each, the others share logarithmic ones up to most_distance.
// Source: Raffel et al. 2019 (arXiv 1910.10683), sec. 2.1, with the rounding of the released code.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/position/distance_bias.hpp"

namespace yardstick::position {
namespace {

/// As the released code rounds: logarithms in f32.
std::int64_t bucket(const T5Bias& t5, double distance) {
  const std::int64_t exact = t5.buckets / 2;
  if (distance < static_cast<double>(exact)) return static_cast<std::int64_t>(distance);
  const auto ratio = static_cast<float>(std::log(distance / static_cast<double>(exact)));
  const auto range = static_cast<float>(
      std::log(static_cast<double>(t5.most_distance) / static_cast<double>(exact)));
  const auto steps = static_cast<float>(t5.buckets - exact);
  const auto beyond = static_cast<std::int64_t>(ratio / range * steps);
  return std::min(exact + beyond, t5.buckets - 1);
}

class T5BiasEncoding final : public DistanceBias {
 public:
  T5BiasEncoding(PositionPlan plan, std::vector<LayerParameters> layers)
      : DistanceBias(std::move(plan)) {
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
      tables_.push_back(
          take_parameters(layers, layer, "table", this->plan().t5.buckets * this->plan().heads));
  }

 protected:
  float at_distance(const BiasQuery& query, double distance) const override {
    const std::vector<float>& table = tables_[static_cast<std::size_t>(query.layer)];
    const std::int64_t row = bucket(plan().t5, distance);
    return table[static_cast<std::size_t>(row * plan().heads + query.head)];
  }

 private:
  std::vector<std::vector<float>> tables_;  // a layer: [buckets, H]
};

}  // namespace

std::unique_ptr<const Encoding> make_t5_bias(PositionPlan plan,
                                             std::vector<LayerParameters> layers) {
  if (plan.t5.buckets < 2 || plan.t5.most_distance <= plan.t5.buckets / 2) {
    throw field_error(plan, "max_distance", fmt::to_string(plan.t5.most_distance),
                      fmt::format("more than half of the {} buckets", plan.t5.buckets));
  }
  return std::make_unique<T5BiasEncoding>(std::move(plan), std::move(layers));
}

}  // namespace yardstick::position
