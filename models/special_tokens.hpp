// Which special tokens a model folder declares: the BOS that stands before every window, and the
// end of text. Inside models/.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "models/engine/request.hpp"
#include "models/model_folder.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::models {

/// What the files say about special tokens. `model` is the model's configuration (the object that
/// has bos_token_id), `generation` the generation settings (generation_config.json, or what a GGUF
/// file says of the kind); it, `tokenizer_config` and `special_tokens_map` are null where absent.
struct TokenDeclarations {
  nlohmann::json model;
  std::string model_file;
  nlohmann::json generation;
  std::string generation_file = "generation_config.json";
  nlohmann::json tokenizer_config;
  nlohmann::json special_tokens_map;
  const tokenizer::Tokenizer* tokenizer = nullptr;
  std::int64_t vocabulary = 0;
};

/// Applies the policy. Auto: of a tokenizer.json its post-processor decides, as in transformers 5,
/// and an add_bos_token that says otherwise is noted; of other formats tokenizer_config.json's
/// add_bos_token if it is there, else what the tokenizer itself puts before a text (the BOS piece
/// of a SentencePiece model, the family of a tiktoken file), else none. @throws Error(kModel) if a
/// BOS is wanted and no file names it, or if its id has no embedding.
[[nodiscard]] BosDecision decide_bos(BosPolicy policy, const TokenDeclarations& declared);

/// The end-of-text id that the tokenizer's files or the configuration declare.
[[nodiscard]] std::optional<TokenId> end_of_text(const TokenDeclarations& declared);

/// The tokenizer's end of text and `eos_token_id` (a number or a list) of the generation settings,
/// or, where those have none, of the configuration. An id that the embedding has no row for can
/// never be generated: it is left out, with a note, except -1, which means none.
/// @throws Error(kModel) if an eos_token_id is neither a number nor a list of numbers.
[[nodiscard]] GenerationEnds decide_generation_ends(const TokenDeclarations& declared);

/// tokenizer_config.json and special_tokens_map.json beside a tokenizer, where they exist.
void read_token_files(const std::filesystem::path& folder, TokenDeclarations& declared);

}  // namespace yardstick::models
