// Inside the room: factors on queries by position.
#pragma once

#include <cstdint>
#include <vector>

#include "models/position/plan.hpp"

namespace yardstick::position {

/// [count] f32 for positions first .. first + count - 1; empty without a scale.
[[nodiscard]] std::vector<float> query_scales(const QueryScale& scale, std::int64_t first,
                                              std::int64_t count);

}  // namespace yardstick::position
