// Inside the room: layers of several types, with windows or without.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/arch/config_reader.hpp"

namespace yardstick::models {

inline constexpr std::string_view kFull = "full_attention";
inline constexpr std::string_view kSliding = "sliding_attention";

/// A question about a layer, counted from 0.
using LayerTest = std::function<bool(std::int64_t)>;

/// layer_types, or what `is_sliding` says of each layer where the key is absent.
[[nodiscard]] std::vector<std::string> read_layer_types(ConfigReader& reader, std::int64_t layers,
                                                        const LayerTest& is_sliding);

/// What configuration classes with windows say where the file has no sliding_window at all.
inline constexpr std::int64_t kDefaultWindow = 4096;

/// sliding_window, or nothing for null.
[[nodiscard]] std::optional<std::int64_t> read_window(
    ConfigReader& reader, std::optional<std::int64_t> absent = kDefaultWindow);

/// The reach of a window, with its source.
void set_window(position::PositionPlan& plan, std::int64_t window, std::string source);

/// Gives each layer the plan of its type; the plans in order of importance. One type: no layer
/// plans. `types` empty: all layers are of the first.
void set_layer_plans(DecoderConfig& config, const std::vector<std::string>& types,
                     std::vector<std::pair<std::string, position::PositionPlan>> plans);

/// A model whose layers all have one window, if any; `absent` where the file has no such key.
void read_uniform_window(ConfigReader& reader, DecoderConfig& config,
                         std::optional<std::int64_t> absent = std::nullopt);

/// Full and window layers by layer_types and sliding_window.
struct WindowPlans {
  position::PositionPlan sliding;              ///< of window layers, yet without the window
  std::optional<position::PositionPlan> full;  ///< absent: the model's own plan
  std::string_view first = kFull;              ///< the type whose plan stands for the model
  LayerTest is_sliding;                        ///< where there are no layer_types
};
void set_window_plans(ConfigReader& reader, DecoderConfig& config, WindowPlans plans);

/// The same where the two differ in their reach alone.
void read_windows(ConfigReader& reader, DecoderConfig& config, LayerTest is_sliding);

/// A plan of the same heads that encodes no position.
[[nodiscard]] position::PositionPlan without_rotation(const position::PositionPlan& plan);

/// use_sliding_window, max_window_layers, layer_types and sliding_window, as Qwen's families say
/// it: window and full layers differ in their reach alone.
void read_qwen_windows(ConfigReader& reader, DecoderConfig& config);

}  // namespace yardstick::models
