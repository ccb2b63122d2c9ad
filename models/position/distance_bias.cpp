#include "models/position/distance_bias.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace yardstick::position {

std::vector<float> take_parameters(std::vector<LayerParameters>& layers, std::size_t layer,
                                   std::string_view name, std::int64_t size) {
  const auto found = layers[layer].tensors.find(name);
  if (found == layers[layer].tensors.end() || std::ssize(found->second) != size) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("position: layer {}: tensor '{}' has {} numbers; expected {}", layer, name,
                    found == layers[layer].tensors.end() ? 0 : found->second.size(), size));
  }
  if (!std::ranges::all_of(found->second, [](float value) { return std::isfinite(value); })) {
    throw Error(ErrorKind::kModel,
                fmt::format("position: layer {}: tensor '{}' has numbers that are not finite",
                            layer, name));
  }
  return std::move(found->second);
}

}  // namespace yardstick::position
