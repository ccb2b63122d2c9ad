// FIRE: a bias from a small MLP of a distance that is made relative to the query's position:
// f(ln(c d + 1) / ln(c max(i, L) + 1)), f from 1 to hidden_width (ReLU) to one number a head.
// Source: Li et al. 2023 (arXiv 2310.04418), eq. 7 to 9; c and L are learned.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/position/distance_bias.hpp"

namespace yardstick::position {
namespace {

struct Network {
  double c = 0.0;
  double threshold = 0.0;  // L
  std::vector<float> in;   // [hidden]
  std::vector<float> in_bias;
  std::vector<float> out;       // [H, hidden]
  std::vector<float> out_bias;  // [H]
};

class FireEncoding final : public DistanceBias {
 public:
  FireEncoding(PositionPlan plan, std::vector<LayerParameters> layers)
      : DistanceBias(std::move(plan)) {
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
      networks_.push_back(take(layers, layer));
  }

 protected:
  float at_distance(const BiasQuery& query, double distance) const override {
    const Network& network = networks_[static_cast<std::size_t>(query.layer)];
    const double place = std::max(static_cast<double>(query.query), network.threshold);
    const double x = std::log1p(network.c * distance) / std::log1p(network.c * place);
    const std::size_t width = network.in.size();
    const float* const weights = network.out.data() + static_cast<std::size_t>(query.head) * width;
    double sum = network.out_bias[static_cast<std::size_t>(query.head)];
    for (std::size_t i = 0; i < width; ++i) {
      const double hidden = network.in[i] * x + network.in_bias[i];
      if (hidden > 0.0) sum += weights[i] * hidden;
    }
    return static_cast<float>(sum);
  }

 private:
  Network take(std::vector<LayerParameters>& layers, std::size_t layer) const {
    const std::int64_t width = plan().fire.hidden_width;
    const std::int64_t heads = plan().heads;
    const std::vector<float> c = take_parameters(layers, layer, "c", 1);
    const std::vector<float> threshold = take_parameters(layers, layer, "threshold", 1);
    if (c.front() <= 0.0F || threshold.front() <= 0.0F) {
      throw Error(ErrorKind::kModel,
                  fmt::format("position: fire: layer {}: c is {} and threshold is {}; expected "
                              "positive numbers",
                              layer, c.front(), threshold.front()));
    }
    return {.c = c.front(),
            .threshold = threshold.front(),
            .in = take_parameters(layers, layer, "in.weight", width),
            .in_bias = take_parameters(layers, layer, "in.bias", width),
            .out = take_parameters(layers, layer, "out.weight", heads * width),
            .out_bias = take_parameters(layers, layer, "out.bias", heads)};
  }

  std::vector<Network> networks_;  // a layer
};

}  // namespace

std::unique_ptr<const Encoding> make_fire(PositionPlan plan, std::vector<LayerParameters> layers) {
  if (plan.fire.hidden_width < 1) {
    throw field_error(plan, "hidden_width", fmt::to_string(plan.fire.hidden_width), "at least 1");
  }
  return std::make_unique<FireEncoding>(std::move(plan), std::move(layers));
}

}  // namespace yardstick::position
