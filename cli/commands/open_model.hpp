// The model folder that a command's --model, --position and --bos name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "models/model_folder.hpp"

namespace yardstick::cli {

/// `position`: the override as JSON. @throws Error as parse_json and ModelFolder.
[[nodiscard]] models::ModelFolder open_model(const std::filesystem::path& folder,
                                             const std::optional<std::string>& position,
                                             models::BosPolicy bos = models::BosPolicy::kAuto);

}  // namespace yardstick::cli
