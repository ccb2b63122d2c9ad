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

/// The type of a model's layers where all have one window or none: whose rotary settings to take.
[[nodiscard]] std::string_view uniform_type(ConfigReader& reader,
                                            std::optional<std::int64_t> absent = std::nullopt);

/// A model whose layers all have one window, if any; `absent` where the file has no such key.
void read_uniform_window(ConfigReader& reader, DecoderConfig& config,
                         std::optional<std::int64_t> absent = std::nullopt);

/// Full and window layers by layer_types and sliding_window.
struct WindowPlans {
  std::optional<position::PositionPlan> full;     ///< absent: the file has none for such layers
  std::optional<position::PositionPlan> sliding;  ///< likewise; yet without the window
  std::string_view first = kFull;                 ///< the type whose plan stands for the model
  LayerTest is_sliding;                           ///< where there are no layer_types
};
void set_window_plans(ConfigReader& reader, DecoderConfig& config, WindowPlans plans);

/// A plan of the same heads that encodes no position.
[[nodiscard]] position::PositionPlan without_rotation(const position::PositionPlan& plan);

/// use_sliding_window, max_window_layers, layer_types and sliding_window, as Qwen's families say
/// it. Of `plans` the two are used.
void read_qwen_windows(ConfigReader& reader, DecoderConfig& config, WindowPlans plans);

}  // namespace yardstick::models
