// What the backend library exports for load_backend() to look up.
#include "models/backend.hpp"
#include "models/engine/device.hpp"
#include "models/engine/load_engine.hpp"
#include "models/interface_id.hpp"
#include "models/train/trainer.hpp"

namespace yardstick::models {
namespace {

class TorchBackend final : public Backend {
 public:
  std::string description() const override { return library_description(); }

  std::vector<std::string> devices() const override { return device_names(); }

  std::unique_ptr<Engine> load(const ModelFolder& folder,
                               const EngineOptions& options) const override {
    return load_engine(folder, options);
  }

  Trained train(const TrainConfig& config, const std::filesystem::path& output,
                const OnProgress& progress) const override {
    set_compute_threads(config.threads);
    return train_model_set(config, output, progress);
  }
};

}  // namespace
}  // namespace yardstick::models

extern "C" [[gnu::visibility("default")]] const char* yardstick_backend_interface() {
  return yardstick::models::kInterfaceId;
}

extern "C" [[gnu::visibility("default")]] const yardstick::models::Backend* yardstick_backend_v1() {
  static const yardstick::models::TorchBackend backend;
  return &backend;
}
