// Inside the room: everything rotary of a Hugging Face configuration (rope_theta, the rotated
// share, rope_scaling, version 5's rope_parameters) read into a position plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/arch/config_reader.hpp"
#include "models/arch/hf_fields.hpp"
#include "models/arch/hf_windows.hpp"
#include "models/arch/scaling_fields.hpp"

namespace yardstick::models {

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
  std::string_view layer_type = kFull;
};

/// Reads everything rotary of a Hugging Face configuration: theta, rotary dims, scaling, a scale on
/// queries, and the length that the model was trained with. `plan` has its heads.
void read_hf_rope(ConfigReader& config, position::PositionPlan& plan,
                  const RopeFamily& family = {});

/// Rotary settings of full and of window layers; empty where rope_parameters have an object a layer
/// type, but none for these.
struct LayerRopes {
  std::optional<position::PositionPlan> full;
  std::optional<position::PositionPlan> sliding;
};

/// The same for a family with layers of both types: each type's own object of rope_parameters, or
/// one set of settings for both. `plan` has the heads.
[[nodiscard]] LayerRopes read_hf_ropes(ConfigReader& config, const position::PositionPlan& plan,
                                       const RopeFamily& family = {});

/// For families whose window layers are never scaled: `plan` as it would be without its scaling.
[[nodiscard]] position::PositionPlan without_scaling(position::PositionPlan plan);

/// Rotary dims for a share of the head, as transformers computes it: int(head_dim * share).
/// @throws Error(kConfig) at `key` unless they are an even number from 2 to head_dim.
void set_rotary_dims(ConfigReader& where, std::string_view key, double share,
                     position::PositionPlan& plan);

/// The length that a model without rotation was trained with.
void read_training_length(ConfigReader& config, position::PositionPlan& plan, KeyNames keys);

/// Whether rope_parameters have an object a layer type.
[[nodiscard]] bool has_rope_by_layer_type(ConfigReader& config);

}  // namespace yardstick::models
