// The door to the library that computes (LibTorch inside). It is opened by name at run time, so
// that commands which compute nothing never load it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/engine/engine.hpp"
#include "models/model_folder.hpp"

namespace yardstick::models {

struct TrainConfig;  // models/train/config.hpp

struct TrainProgress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::int64_t tokens = 0;
  double loss_nats = 0;
  double learning_rate = 0;
  double tokens_per_second = 0;
  std::string model;  ///< the one of the set that trains now
  /// Share of held-out windows whose pass key the model finds; measured at each save, where the
  /// data has pass keys.
  std::optional<double> retrieval;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// "LibTorch 1.13.0, oneDNN, CPU only", for `run`'s record and --version.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Devices that can be named in a suite: "cpu", "cuda:0", ...
  [[nodiscard]] virtual std::vector<std::string> devices() const = 0;

  /// Loads the weights of `folder` onto a device. `folder` must outlive the engine.
  /// @throws Error(kDevice) for an unknown or absent device, Error(kMemory) if it does not fit.
  [[nodiscard]] virtual std::unique_ptr<Engine> load(const ModelFolder& folder,
                                                     const EngineOptions& options) const = 0;

  using OnProgress = std::function<Continue(const TrainProgress&)>;
  enum class Trained { kFinished, kStopped };

  /// Trains one decoder into `output` (see models/train/config.hpp); resumes from the state it
  /// finds there. kStopped if `progress` asked for it; what was done is saved.
  virtual Trained train(const TrainConfig& config, const std::filesystem::path& output,
                        const OnProgress& progress) const = 0;
};

/// Loads the backend library that lies beside the program (or where YARDSTICK_BACKEND points).
/// Repeated calls give the same object. @throws Error(kDevice) saying where it was looked for.
[[nodiscard]] const Backend& load_backend();

}  // namespace yardstick::models
