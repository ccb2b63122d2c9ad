// The small trainer that makes matched models: decoders that differ in nothing but their encoding,
// from one seed and one data order.
#pragma once

#include <filesystem>

#include "models/backend.hpp"
#include "models/train/config.hpp"

namespace yardstick::models {

/// Trains the models of `config` one after the other into `output`/<model name>, on the CPU. A
/// model that is finished is left alone; one that was begun goes on from its last saved state, and
/// ends with the same weights, bit for bit on one thread, as without the break. Each save also
/// writes the model folder itself, so that it can be measured while it trains.
/// @param progress called after every step; what it answers with kStop is saved first
/// @throws Error(kConfig) if `output` holds another configuration's run, Error(kData) for
/// unreadable data, Error(kModel) if the loss is no longer finite.
[[nodiscard]] Backend::Trained train_model_set(const TrainConfig& config,
                                               const std::filesystem::path& output,
                                               const Backend::OnProgress& progress);

}  // namespace yardstick::models
