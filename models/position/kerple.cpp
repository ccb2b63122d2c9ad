// KERPLE: a bias from a kernel of the distance, with two learned positive numbers a head.
// Logarithm: -r1 ln(1 + r2 d); power: -r1 d^r2.
// Source: Chi et al. 2022 (arXiv 2205.09921), eq. 5 and 6.
#include <algorithm>
#include <cmath>

#include "models/position/distance_bias.hpp"

namespace yardstick::position {
namespace {

class KerpleEncoding final : public DistanceBias {
 public:
  KerpleEncoding(PositionPlan plan, std::vector<LayerParameters> layers)
      : DistanceBias(std::move(plan)) {
    const std::int64_t heads = this->plan().heads;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      Kernel kernel{take_parameters(layers, layer, "r1", heads),
                    take_parameters(layers, layer, "r2", heads)};
      const auto is_positive = [](float value) { return value > 0.0F; };
      if (!std::ranges::all_of(kernel.r1, is_positive) ||
          !std::ranges::all_of(kernel.r2, is_positive)) {
        throw Error(ErrorKind::kModel, "position: kerple: r1 and r2 must be positive");
      }
      kernels_.push_back(std::move(kernel));
    }
  }

 protected:
  float at_distance(const BiasQuery& query, double distance) const override {
    const Kernel& kernel = kernels_[static_cast<std::size_t>(query.layer)];
    const double r1 = kernel.r1[static_cast<std::size_t>(query.head)];
    const double r2 = kernel.r2[static_cast<std::size_t>(query.head)];
    const double growth = plan().kerple.form == Kerple::Form::kLogarithm ? std::log1p(r2 * distance)
                                                                         : std::pow(distance, r2);
    return static_cast<float>(-r1 * growth);
  }

 private:
  struct Kernel {
    std::vector<float> r1;  // [H]
    std::vector<float> r2;
  };
  std::vector<Kernel> kernels_;  // a layer
};

}  // namespace

std::unique_ptr<const Encoding> make_kerple(PositionPlan plan,
                                            std::vector<LayerParameters> layers) {
  return std::make_unique<KerpleEncoding>(std::move(plan), std::move(layers));
}

}  // namespace yardstick::position
