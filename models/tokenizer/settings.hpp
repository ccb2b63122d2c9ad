// What the files beside a tokenizer say about it: tokenizer_config.json, special_tokens_map.json
// and added_tokens.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/tokenizer/pipeline.hpp"

namespace yardstick::tokenizer {

struct TokenizerSettings {
  std::vector<AddedToken> added;  ///< with their ids
  std::vector<AddedToken> named;  ///< bos_token and the like: texts without ids
  std::optional<bool> add_prefix_space;
  std::optional<bool> legacy;
  std::string tokenizer_class;  ///< without "Fast" at the end; empty if nobody says
  std::filesystem::path config;
  std::vector<std::filesystem::path> files;  ///< those that are there
};

/// @throws Error(kData) naming the file and the entry that cannot be read, or says two things.
[[nodiscard]] TokenizerSettings read_settings(const std::filesystem::path& folder);

/// Adds the tokens that the tokenizer's own file does not add already: those with an id, and of the
/// named ones those whose text is a token (a pad token that the vocabulary lacks stays text).
/// @throws Error(kData) if an id or a text belongs to another token.
void add_tokens(const TokenizerSettings& settings, PipelineParts& parts);

}  // namespace yardstick::tokenizer
