// What most encodings answer.
#include "models/position/encoding.hpp"

#include "core/error.hpp"
#include "models/position/query_scale.hpp"

namespace yardstick::position {

std::vector<float> Encoding::query_scales(std::int64_t layer, std::int64_t first,
                                          std::int64_t count) const {
  return position::query_scales(layer_plan(layer).query_scale, first, count);
}

bool Encoding::has_bias(std::int64_t /*layer*/) const { return false; }

void Encoding::fill_bias(const BiasQuery& /*query*/, std::span<float> /*bias*/) const {
  check(false, "an encoding without bias is not asked for it");
}

const Reach& Encoding::reach(std::int64_t layer) const { return layer_plan(layer).reach; }

const PositionPlan& Encoding::layer_plan(std::int64_t /*layer*/) const { return plan(); }

void Encoding::fill_embedding(std::int64_t /*position*/, std::span<float> /*row*/) const {
  check(false, "an encoding that adds no embedding is not asked for one");
}

}  // namespace yardstick::position
