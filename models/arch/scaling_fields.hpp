// Inside the room: Hugging Face's words for scalings of rotary frequencies (rope_type or type, and
// the fields of each), as rope_scaling, rope_parameters and overrides have them. Field meanings
// follow the transformers library's rope utilities; a field that a scaling does not use is refused,
// because a dropped setting looks exactly like a model that does not generalise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/arch/config_reader.hpp"

namespace yardstick::models {

/// What the surroundings of a rope object say about lengths, in tokens.
struct RopeContext {
  std::int64_t longest = 0;  ///< max_position_embeddings
  std::string longest_origin;
  std::optional<std::int64_t> original;  ///< original_max_position_embeddings beside the object
  std::string original_origin;
  std::optional<double> partial;  ///< partial_rotary_factor beside the object
  /// A scaling that needs the original length but does not name it: refused in a checkpoint; an
  /// override means the length that the checkpoint was trained with.
  enum class MissingOriginal { kRefuse, kUseLongest } missing = MissingOriginal::kRefuse;
};

/// Reads rope_type (or type) and the fields of that scaling from `reader` into plan.scaling, with
/// their sources. Returns the original length if one is named. rope_theta is left to the caller,
/// and so is partial_rotary_factor, except where the scaling itself has that share
/// ('proportional').
std::optional<std::int64_t> read_scaling(ConfigReader& reader, const RopeContext& context,
                                         position::PositionPlan& plan);

/// Writes plan.scaling in the words that read_scaling() reads.
[[nodiscard]] nlohmann::json scaling_to_hf(const position::Scaling& scaling);

}  // namespace yardstick::models
