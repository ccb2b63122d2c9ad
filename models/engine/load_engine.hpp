// A model folder on a device, ready to answer.
#pragma once

#include <memory>

#include "models/engine/engine.hpp"
#include "models/model_folder.hpp"

namespace yardstick::models {

/// `folder` must outlive the engine. @throws as Backend::load says.
[[nodiscard]] std::unique_ptr<Engine> load_engine(const ModelFolder& folder,
                                                  const EngineOptions& options);

}  // namespace yardstick::models
