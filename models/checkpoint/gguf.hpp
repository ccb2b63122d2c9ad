// GGUF files (llama.cpp's format), read only, as what a Hugging Face folder has: tensors under its
// names, the fields of its config.json and its tokenizer.json. docs/checkpoints.md says what is
// read.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

struct GgufTokenizer {
  nlohmann::json tree;  ///< a tokenizer.json, or null
  std::string refusal;  ///< why it is null: "x.gguf: key '...' ..."
};

struct GgufContents {
  std::vector<TensorView> tensors;  ///< sorted by name
  nlohmann::json config;            ///< the fields of a config.json
  nlohmann::json generation;        ///< those of a generation_config.json: what ends an answer
  GgufTokenizer tokenizer;
};

/// A GGUF file held in memory; the views point into `bytes`. Any metadata key or tensor that may
/// change the numbers and has no counterpart is refused. @throws Error(kData) naming file and key
/// or tensor.
[[nodiscard]] GgufContents read_gguf(std::span<const std::byte> bytes, const std::string& file);

struct GgufModel {
  std::unique_ptr<TensorSource> tensors;
  nlohmann::json config;
  nlohmann::json generation;
  GgufTokenizer tokenizer;
};

[[nodiscard]] GgufModel open_gguf(const std::filesystem::path& file);

}  // namespace yardstick::checkpoint
