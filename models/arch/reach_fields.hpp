// Inside the room: the words for methods that carry a model past its training length, as overrides
// and project configurations write them:
//   sliding_window: 512, or {window: 512}
//   streaming_llm:  {sinks: 4, window: 1020}
//   lm_infinite:    {sinks: 10, window: 2048}       window: default the training length
//   self_extend:    {group: 8, window: 1024}
//   rerope:         {window: 1024, leak: 16}        leak: distances grow at 1 / leak; absent: not
//   dual_chunk:     {chunk: 1408, local: 128}       defaults from the training length
#pragma once

#include <optional>
#include <string_view>

#include "models/arch/config_reader.hpp"

namespace yardstick::models {

/// The method that the object names, if any. @throws Error(kConfig) if it names two.
[[nodiscard]] std::optional<std::string_view> reach_key(ConfigReader& reader);

/// Whether the method does nothing but move positions: layers without any are left as they are.
[[nodiscard]] bool moves_positions(std::string_view method);

/// Sets plan.reach to the method that the object names.
/// @throws Error(kConfig) for numbers that make no sense
void change_reach(ConfigReader& reader, position::PositionPlan& plan);

}  // namespace yardstick::models
