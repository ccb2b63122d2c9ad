#include "models/train/trainer.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "models/decoder/decoder.hpp"
#include "models/train/adamw.hpp"
#include "models/train/data.hpp"
#include "models/train/export.hpp"
#include "models/train/initial.hpp"
#include "models/train/schedule.hpp"
#include "models/train/small_world/tokenizer_json.hpp"
#include "models/train/state.hpp"

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kStateFile = "training-state.safetensors";
constexpr std::int64_t kRetrievalWindows = 64;
constexpr double kLossMemory = 0.99;

/// Rows [count, tokens + 1] of ids: the windows' inputs and, one to the right, their targets.
at::Tensor stack_windows(const std::vector<std::vector<TokenId>>& windows) {
  const auto rows = static_cast<std::int64_t>(windows.size());
  const auto columns = static_cast<std::int64_t>(windows.front().size());
  at::Tensor ids = at::empty({rows, columns}, at::kLong);
  auto* out = ids.data_ptr<std::int64_t>();
  for (const std::vector<TokenId>& window : windows) {
    check(static_cast<std::int64_t>(window.size()) == columns, "windows of a batch are equal");
    for (const TokenId id : window) *out++ = id;
  }
  return ids;
}

/// The inputs of stacked windows as one packed batch of equal sequences.
PackedBatch pack(const at::Tensor& ids) {
  const std::int64_t count = ids.size(0);
  const std::int64_t tokens = ids.size(1) - 1;
  PackedBatch batch;
  batch.tokens = ids.narrow(1, 0, tokens).reshape({count * tokens});
  for (std::int64_t i = 0; i < count; ++i) {
    batch.sequences.push_back(
        {.row_begin = i * tokens, .row_count = tokens, .total_length = tokens});
  }
  return batch;
}

at::Tensor targets(const at::Tensor& ids) {
  return ids.narrow(1, 1, ids.size(1) - 1).reshape({-1});
}

/// One model of the set while it trains.
class Run {
 public:
  Run(const TrainConfig& config, const TrainModel& model, const WindowSource& windows,
      fs::path folder)
      : config_(config),
        model_(model),
        windows_(windows),
        folder_(std::move(folder)),
        fingerprint_(train_fingerprint(config, model)),
        state_(read_state(folder_ / kStateFile, config, fingerprint_)),
        decoder_config_(config.decoder),
        first_step_(state_.step) {
    decoder_config_.position = model.position;
    coefficients_ = initial_fope_coefficients(decoder_config_, model.fope_gain, config.seed);
    Weights weights;
    for (const Parameter& parameter : state_.parameters) {
      weights.emplace(parameter.name, parameter.weight);
    }
    decoder_ =
        std::make_unique<Decoder>(decoder_config_, std::move(weights),
                                  std::shared_ptr<const position::Encoding>(position::make_encoding(
                                      decoder_config_.position, coefficients_)),
                                  DecoderOptions{.gradient = attention::Need::Gradient::kNeeded});
  }

  Backend::Trained train(const Backend::OnProgress& progress) {
    started_ = Clock::now();
    while (state_.step < config_.steps) {
      step();
      const bool is_last = state_.step == config_.steps;
      const bool is_due = is_last || state_.step % config_.save_every_steps == 0;
      if (is_due) save();
      if (progress(report()) == Continue::kStop && !is_last) {
        if (!is_due) save();
        return Backend::Trained::kStopped;
      }
    }
    return Backend::Trained::kFinished;
  }

 private:
  void step() {
    const std::int64_t step = state_.step + 1;
    std::vector<std::vector<TokenId>> batch;
    for (std::int64_t i = 0; i < config_.batch_windows; ++i) {
      const std::int64_t index = state_.step * config_.batch_windows + i;
      batch.push_back(windows_.window(static_cast<std::uint64_t>(index)));
    }
    const at::Tensor ids = stack_windows(batch);
    const at::Tensor loss =
        at::cross_entropy_loss(decoder_->logits(decoder_->hidden(pack(ids))), targets(ids));
    loss.backward();
    const double norm =
        apply_adamw(state_.parameters, {.step = step,
                                        .learning_rate = learning_rate(config_, step),
                                        .beta1 = config_.beta1,
                                        .beta2 = config_.beta2,
                                        .weight_decay = config_.weight_decay,
                                        .clip_norm = config_.clip_norm});
    const double value = loss.item<double>();
    if (!std::isfinite(norm) || !std::isfinite(value)) {
      throw Error(ErrorKind::kModel,
                  fmt::format("{}: step {}: loss {} with gradient norm {}; lower "
                              "training.learning_rate, then train again from the last save",
                              model_.name, step, value, norm));
    }
    // A plain mean while few steps are done, then an exponential one over about 100 steps.
    const double weight = std::max(1.0 - kLossMemory, 1.0 / static_cast<double>(step));
    state_.smoothed_loss += weight * (value - state_.smoothed_loss);
    state_.step = step;
    loss_ = value;
  }

  /// Share of held-out windows whose last token the model finds in the context; nothing if the data
  /// has no such windows.
  std::optional<double> measure_retrieval() {
    std::vector<std::vector<TokenId>> batch;
    for (std::int64_t i = 0; i < kRetrievalWindows; ++i) {
      batch.push_back(windows_.retrieval_check(static_cast<std::uint64_t>(i)));
      if (batch.back().empty()) return std::nullopt;
    }
    const c10::NoGradGuard no_gradient;
    const at::Tensor ids = stack_windows(batch);
    const std::int64_t tokens = ids.size(1) - 1;
    const at::Tensor hidden = decoder_->hidden(pack(ids))
                                  .view({kRetrievalWindows, tokens, decoder_config_.width})
                                  .select(1, tokens - 1);
    const at::Tensor found = decoder_->logits(hidden).argmax(-1);
    return found.eq(ids.select(1, tokens)).to(at::kDouble).mean().item<double>();
  }

  void save() {
    write_state(folder_ / kStateFile, state_, fingerprint_);
    retrieval_ = measure_retrieval();
    write_model_folder(folder_, {.config = config_,
                                 .model = model_,
                                 .decoder = decoder_config_,
                                 .state = state_,
                                 .coefficients = coefficients_,
                                 .fingerprint = fingerprint_,
                                 .retrieval = retrieval_});
  }

  TrainProgress report() {
    const std::int64_t step_tokens = config_.batch_windows * config_.window_tokens;
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const auto done = static_cast<double>((state_.step - first_step_) * step_tokens);
    return {.step = state_.step,
            .steps = config_.steps,
            .tokens = state_.step * step_tokens,
            .loss_nats = loss_,
            .learning_rate = learning_rate(config_, state_.step),
            .tokens_per_second = seconds > 0 ? done / seconds : 0.0,
            .model = model_.name,
            .retrieval = std::exchange(retrieval_, std::nullopt)};
  }

  const TrainConfig& config_;
  const TrainModel& model_;
  const WindowSource& windows_;
  fs::path folder_;
  std::string fingerprint_;
  TrainState state_;
  DecoderConfig decoder_config_;
  std::int64_t first_step_;
  std::vector<position::LayerParameters> coefficients_;
  std::unique_ptr<Decoder> decoder_;
  Clock::time_point started_;
  double loss_ = 0.0;
  std::optional<double> retrieval_;  ///< measured by the last step's save
};

}  // namespace

Backend::Trained train_model_set(const TrainConfig& config, const fs::path& output,
                                 const Backend::OnProgress& progress) {
  at::set_num_threads(config.threads);
  for (const TrainModel& model : config.models) {
    const fs::path folder = output / model.name;
    write_tokenizer(folder, config);
    const auto tokenizer = tokenizer::open_tokenizer(folder / "tokenizer.json");
    const auto windows = open_windows(config, *tokenizer);
    Run run(config, model, *windows, folder);
    if (run.train(progress) == Backend::Trained::kStopped) return Backend::Trained::kStopped;
  }
  return Backend::Trained::kFinished;
}

}  // namespace yardstick::models
