// What a training run needs to go on after a kill: weights, moments, step. One file, replaced
// atomically, so that a kill at any moment leaves the last complete state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/train/adamw.hpp"
#include "models/train/config.hpp"

namespace yardstick::models {

struct TrainState {
  std::int64_t step = 0;       ///< steps done
  double smoothed_loss = 0.0;  ///< nats; exponential mean over about 100 steps
  std::vector<Parameter> parameters;
};

/// Identity of everything that decides a model's weights: config, data, this model's encoding.
[[nodiscard]] std::string train_fingerprint(const TrainConfig& config, const TrainModel& model);

/// Step 0: initial weights, zero moments.
[[nodiscard]] TrainState initial_state(const TrainConfig& config);

void write_state(const std::filesystem::path& file, const TrainState& state,
                 const std::string& fingerprint);

/// The state in `file`, or initial_state() if there is no such file. @throws Error(kConfig) if the
/// file was written under another fingerprint, Error(kData) if it is damaged.
[[nodiscard]] TrainState read_state(const std::filesystem::path& file, const TrainConfig& config,
                                    const std::string& fingerprint);

}  // namespace yardstick::models
