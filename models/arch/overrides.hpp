// Inside the room: position overrides of a suite or the command line, applied to the plans that the
// checkpoint gave; each wins and is recorded as its value's source.
#pragma once

#include <nlohmann/json.hpp>

#include "models/decoder/config.hpp"

namespace yardstick::models {

/// `overrides` is null or an object: kind (none, rope, alibi), rope_theta and the words of Hugging
/// Face's rope_parameters, zero_pairs (one_one, one_zero or paper), clamp_order, alibi_slopes,
/// bias_max, log_n_scale, and one method of reach_fields.hpp; or such an object for each layer
/// type. A method changes the layers that see everything, windows stay. Other keys change the
/// layers with an encoding like the model's first.
/// @throws Error(kConfig) for an unknown key, with the nearest valid one, and for a key that the
/// model's encoding has no use for.
void apply_position_overrides(const nlohmann::json& overrides, DecoderConfig& config);

}  // namespace yardstick::models
