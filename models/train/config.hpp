// What `yardstick train` is asked to do. Plain data, free of torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/decoder/config.hpp"

namespace yardstick::models {

/// Where training tokens come from: the built-in small-world language, or a UTF-8 text file.
struct TrainData {
  enum class Kind { kSmallWorld, kTextFile } kind = Kind::kSmallWorld;
  std::filesystem::path text_file;
  std::filesystem::path tokenizer;  ///< tokenizer.json; empty = the small world's own
};

/// One model of a matched set: they differ in nothing but this.
struct TrainModel {
  std::string name;
  position::PositionPlan position;
  double fope_gain = 0.3;  ///< Xavier gain of FoPE's coefficients (arXiv 2412.17739, "sigma")
};

struct TrainConfig {
  std::string name;
  DecoderConfig decoder;  ///< without the position plan, which each model brings
  std::vector<TrainModel> models;
  TrainData data;
  std::int64_t window_tokens = 128;  ///< training length
  std::int64_t batch_windows = 32;
  std::int64_t steps = 0;
  std::int64_t warmup_steps = 100;
  double learning_rate = 2e-3;
  double final_learning_rate_ratio = 0.1;  ///< cosine floor
  double beta1 = 0.9;
  double beta2 = 0.95;
  double weight_decay = 0.1;
  double clip_norm = 1.0;
  std::uint64_t seed = 0;
  std::int64_t save_every_steps = 500;
  std::string save_dtype = "bfloat16";
  int threads = 1;
};

/// Reads a training YAML. @throws Error(kConfig) with file:line:column.
[[nodiscard]] TrainConfig read_train_config(const std::filesystem::path& file);

}  // namespace yardstick::models
