// `yardstick train`: reads the configuration, opens the backend, shows progress.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "models/backend.hpp"
#include "models/train/config.hpp"

namespace yardstick::cli {
namespace {

/// The one thing that a signal handler may touch; train() reads it after every step.
std::atomic<bool> stop_asked{false};

void ask_to_stop(int) { stop_asked.store(true); }

/// Keeps only the named models, in the configuration's order.
void select_models(models::TrainConfig& config, const TrainOptions& options) {
  if (options.models.empty()) return;
  std::vector<std::string> known;
  for (const models::TrainModel& model : config.models) known.push_back(model.name);
  for (const std::string& name : options.models) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: has no model '{}'{}", options.config.string(), name,
                              did_you_mean(name, known)));
    }
  }
  std::erase_if(config.models, [&](const models::TrainModel& model) {
    return std::find(options.models.begin(), options.models.end(), model.name) ==
           options.models.end();
  });
}

/// One line that renews itself on a terminal, and one line every hundred steps elsewhere.
class ProgressLine {
 public:
  void show(const models::TrainProgress& progress) const {
    const bool is_mark = progress.retrieval.has_value() || progress.step == progress.steps;
    if (!is_terminal_ && !is_mark && progress.step % 100 != 0) return;
    const std::int64_t left =
        progress.tokens_per_second > 0
            ? static_cast<std::int64_t>(static_cast<double>(progress.steps - progress.step) *
                                        static_cast<double>(progress.tokens) /
                                        static_cast<double>(progress.step) /
                                        progress.tokens_per_second)
            : 0;
    std::string line = fmt::format(
        "{}  step {}/{}  {:.2f}M tokens  loss {:.4f}  rate {:.2e}  {:.0f} tokens/s  {}:{:02} left",
        progress.model, progress.step, progress.steps, static_cast<double>(progress.tokens) / 1e6,
        progress.loss_nats, progress.learning_rate, progress.tokens_per_second, left / 60,
        left % 60);
    if (progress.retrieval) {
      line += fmt::format("  pass key in the window {:.0f} %", 100.0 * *progress.retrieval);
    }
    if (is_terminal_) {
      fmt::print(stderr, "\r\033[K{}{}", line, is_mark ? "\n" : "");
    } else {
      fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
};

}  // namespace

int train(const TrainOptions& options) {
  models::TrainConfig config = models::read_train_config(options.config);
  select_models(config, options);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  const ProgressLine line;
  const auto trained =
      models::load_backend().train(config, options.output, [&](const auto& progress) {
        line.show(progress);
        return stop_asked.load() ? models::Continue::kStop : models::Continue::kYes;
      });
  if (trained == models::Backend::Trained::kStopped) {
    fmt::print(stderr, "\nStopped; the state is saved. The same command goes on from here.\n");
    return kInterrupted;
  }
  for (const models::TrainModel& model : config.models) {
    fmt::print("{}\n", (options.output / model.name).string());
  }
  return kDone;
}

}  // namespace yardstick::cli
