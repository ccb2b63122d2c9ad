// Inside the room: one factory an encoding (its class stays in its own file), and the error text
// that they share.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "models/position/encoding.hpp"

namespace yardstick::position {

[[nodiscard]] std::unique_ptr<const Encoding> make_none(PositionPlan plan,
                                                        std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_learned(PositionPlan plan,
                                                           std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_sinusoidal(PositionPlan plan,
                                                              std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_alibi(PositionPlan plan,
                                                         std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_rope(PositionPlan plan,
                                                        std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_xpos(PositionPlan plan,
                                                        std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_fope(PositionPlan plan,
                                                        std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_t5_bias(PositionPlan plan,
                                                           std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_kerple(PositionPlan plan,
                                                          std::vector<LayerParameters> layers);
[[nodiscard]] std::unique_ptr<const Encoding> make_fire(PositionPlan plan,
                                                        std::vector<LayerParameters> layers);

/// "position plan: rotary_dims (config.json: head_dim) is 7; expected an even number ...": names
/// where the value came from if the plan knows.
[[nodiscard]] Error field_error(const PositionPlan& plan, std::string_view field,
                                std::string_view found, std::string_view expected);

}  // namespace yardstick::position
