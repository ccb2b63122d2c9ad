// The model folder that training leaves: configuration, weights, tokenizer and provenance, in the
// layout that the loader reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/position/encoding.hpp"
#include "models/train/config.hpp"
#include "models/train/state.hpp"

namespace yardstick::models {

struct ExportedModel {
  const TrainConfig& config;
  const TrainModel& model;
  const DecoderConfig& decoder;  ///< with the model's position plan
  const TrainState& state;
  const std::vector<position::LayerParameters>& coefficients;  ///< one a layer, FoPE only
  const std::string& fingerprint;
  std::optional<double> retrieval;  ///< share of in-window keys found
};

/// tokenizer.json and tokenizer_config.json: the small world's, or copies of the named ones.
void write_tokenizer(const std::filesystem::path& folder, const TrainConfig& config);

/// config.json, model.safetensors (weights in config.save_dtype, FoPE's coefficients in F32) and
/// training.json; each replaced atomically.
void write_model_folder(const std::filesystem::path& folder, const ExportedModel& model);

}  // namespace yardstick::models
