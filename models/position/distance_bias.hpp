// Inside the room: what biases by distance share. A subclass gives the bias of a head at a
// distance; methods that change distances (self-extend, capped windows) work with all of them.
#pragma once

#include <utility>
#include <vector>

#include "models/position/unrotated.hpp"

namespace yardstick::position {

class DistanceBias : public Unrotated {
 public:
  using Unrotated::Unrotated;

  bool has_bias(std::int64_t /*layer*/) const override { return true; }

  void fill_bias(const BiasQuery& query, std::span<float> bias) const final {
    std::int64_t key = query.first_key;
    const Reach& reach = plan().reach;
    const bool is_plain = reach.kind == ReachKind::kAll || reach.kind == ReachKind::kWindow;
    for (float& value : bias) {
      const double d =
          is_plain ? static_cast<double>(query.query - key) : distance(reach, query.query, key);
      value = at_distance(query, d);
      ++key;
    }
  }

 protected:
  [[nodiscard]] virtual float at_distance(const BiasQuery& query, double distance) const = 0;
};

/// The layer's tensor, checked to have `size` finite numbers.
/// @throws Error(kModel) naming layer and tensor
[[nodiscard]] std::vector<float> take_parameters(std::vector<LayerParameters>& layers,
                                                 std::size_t layer, std::string_view name,
                                                 std::int64_t size);

}  // namespace yardstick::position
