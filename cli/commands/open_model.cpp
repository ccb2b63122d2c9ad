#include "cli/commands/open_model.hpp"

#include <utility>

#include "core/json.hpp"

namespace yardstick::cli {

models::ModelFolder open_model(const std::filesystem::path& folder,
                               const std::optional<std::string>& position, models::BosPolicy bos) {
  models::ModelSpec spec;
  spec.folder = folder;
  spec.bos = bos;
  if (position) spec.overrides.position = parse_json(*position, "--position");
  return models::ModelFolder(std::move(spec));
}

}  // namespace yardstick::cli
