// Inside the room: Hugging Face's words for rotary positions (rope_theta, rope_scaling with type or
// rope_type, version 5's rope_parameters) read into a position plan. Field meanings follow the
// transformers library's rope utilities; a field that a scaling does not use is refused, because a
// dropped setting looks exactly like a model that does not generalise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/arch/config_reader.hpp"
#include "models/arch/hf_fields.hpp"

namespace yardstick::models {

/// What the surroundings of a rope object say about lengths, in tokens.
struct RopeContext {
  std::int64_t longest = 0;  ///< max_position_embeddings
  std::string longest_origin;
  std::optional<std::int64_t> original;  ///< original_max_position_embeddings beside the object
  std::string original_origin;
  /// A scaling that needs the original length but does not name it: refused in a checkpoint; an
  /// override means the length that the checkpoint was trained with.
  enum class MissingOriginal { kRefuse, kUseLongest } missing = MissingOriginal::kRefuse;
};

/// Reads rope_type (or type) and the fields of that scaling from `reader` into plan.scaling, with
/// their sources. Returns the original length if one is named. rope_theta and partial_rotary_factor
/// are left to the caller.
std::optional<std::int64_t> read_scaling(ConfigReader& reader, const RopeContext& context,
                                         position::PositionPlan& plan);

/// What a family calls its rotary settings, and what it means where they are absent.
struct RopeFamily {
  KeyNames theta_keys = {"rope_theta"};
  KeyNames partial_keys = {"partial_rotary_factor"};  ///< share of the head that rotates
  double theta = 10000.0;
  double partial = 1.0;
  /// The library writes this share beside rope_parameters even where those say another.
  std::optional<double> written_partial;
  position::PairLayout layout = position::PairLayout::kHalves;
  KeyNames length_keys = {"max_position_embeddings"};
  std::int64_t length = 2048;
  /// Which layers' settings to take where rope_parameters have an object a layer type.
  std::string_view layer_type = "full_attention";
};

/// Reads everything rotary of a Hugging Face configuration: theta, rotary dims, scaling, a scale on
/// queries, and the length that the model was trained with. `plan` has its heads.
void read_hf_rope(ConfigReader& config, position::PositionPlan& plan,
                  const RopeFamily& family = {});

/// The length that a model without rotation was trained with.
void read_training_length(ConfigReader& config, position::PositionPlan& plan, KeyNames keys);

/// Whether rope_parameters have an object a layer type.
[[nodiscard]] bool has_rope_by_layer_type(ConfigReader& config);

/// Writes plan.scaling in the words that read_scaling() reads.
[[nodiscard]] nlohmann::json scaling_to_hf(const position::Scaling& scaling);

}  // namespace yardstick::models
