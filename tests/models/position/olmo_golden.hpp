// Reads a folder of golden/olmo_fope without the project's own checkpoint readers, so that these
// tests stand on their own: the plan from config.yaml, coefficients from the weight file.
#pragma once

#include <filesystem>
#include <vector>

#include "models/position/encoding.hpp"

namespace yardstick::test {

/// The plan that the README beside the golden folders spells out for a config.yaml.
[[nodiscard]] position::PositionPlan olmo_plan(const std::filesystem::path& folder);

/// FoPE coefficients of every layer, as the file holds them; empty for another encoding.
[[nodiscard]] std::vector<position::LayerParameters> olmo_coefficients(
    const std::filesystem::path& folder);

}  // namespace yardstick::test
