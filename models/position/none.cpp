// No position encoding (NoPE): only the causal mask orders the tokens.
// Source: Kazemnejad et al. 2023 (arXiv 2305.19466).
#include "models/position/unrotated.hpp"

namespace yardstick::position {

std::unique_ptr<const Encoding> make_none(PositionPlan plan, std::vector<LayerParameters>) {
  return std::make_unique<Unrotated>(std::move(plan));
}

}  // namespace yardstick::position
