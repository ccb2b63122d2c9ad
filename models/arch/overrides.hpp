// Inside the room: position overrides of a suite or the command line, applied to the plan that the
// checkpoint gave; each wins and is recorded as its value's source.
#pragma once

#include <nlohmann/json.hpp>

#include "models/position/plan.hpp"

namespace yardstick::models {

/// `overrides` is null or an object: kind (none, rope, alibi), rope_theta and the words of Hugging
/// Face's rope_parameters, zero_pairs (one_one, one_zero or paper), alibi_slopes, bias_max.
/// @throws Error(kConfig) for an unknown key, with the nearest valid one, and for a key that the
/// model's encoding has no use for.
void apply_position_overrides(const nlohmann::json& overrides, position::PositionPlan& plan);

}  // namespace yardstick::models
