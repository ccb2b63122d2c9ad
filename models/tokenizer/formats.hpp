// The tokenizer files that can be read. Each reader throws Error(kData) naming file and place.
#pragma once

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/tokenizer/pipeline.hpp"
#include "models/tokenizer/settings.hpp"

namespace yardstick::tokenizer {

/// Hugging Face's tokenizer.json.
[[nodiscard]] PipelineParts read_tokenizer_json(nlohmann::json tree,
                                                const std::filesystem::path& file,
                                                const TokenizerSettings& settings);

/// A SentencePiece model. @param bytes of the file
[[nodiscard]] PipelineParts read_sentencepiece(const std::filesystem::path& file,
                                               std::string_view bytes,
                                               const TokenizerSettings& settings);

/// tiktoken's ranks: lines "base64 rank". @param bytes of the file
[[nodiscard]] PipelineParts read_tiktoken(const std::filesystem::path& file, std::string_view bytes,
                                          const TokenizerSettings& settings);
/// Whether a file is such a list, by its first line.
[[nodiscard]] bool looks_like_tiktoken(std::string_view bytes);

/// GPT-2's pair: an object of tokens and ids, and a list of merges.
[[nodiscard]] PipelineParts read_gpt2_files(const std::filesystem::path& vocab,
                                            const std::filesystem::path& merges,
                                            const TokenizerSettings& settings);

}  // namespace yardstick::tokenizer
