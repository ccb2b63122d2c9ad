// Sinusoidal absolute positions, added to the token embeddings: sin and cos of
// position x theta^(-2i/E), as neighbours (the paper) or as halves [sin | cos].
// Source: Vaswani et al. 2017 (arXiv 1706.03762), sec. 3.5.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/position/unrotated.hpp"

namespace yardstick::position {
namespace {

class Sinusoidal final : public Unrotated {
 public:
  using Unrotated::Unrotated;

  bool adds_to_embedding() const override { return true; }

  void fill_embedding(std::int64_t position, std::span<float> row) const override {
    const std::size_t pairs = row.size() / 2;
    const bool is_interleaved = plan().layout == PairLayout::kInterleaved;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(row.size());
      const double angle = static_cast<double>(position) * std::pow(plan().theta, exponent);
      row[is_interleaved ? 2 * i : i] = static_cast<float>(std::sin(angle));
      row[is_interleaved ? 2 * i + 1 : pairs + i] = static_cast<float>(std::cos(angle));
    }
    if (row.size() % 2 != 0) row.back() = 0.0F;
  }
};

}  // namespace

std::unique_ptr<const Encoding> make_sinusoidal(PositionPlan plan, std::vector<LayerParameters>) {
  if (!std::isfinite(plan.theta) || plan.theta <= 1.0) {
    throw field_error(plan, "theta", fmt::to_string(plan.theta), "a number above 1");
  }
  return std::make_unique<Sinusoidal>(std::move(plan));
}

}  // namespace yardstick::position
