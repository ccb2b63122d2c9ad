// The tokenizer inside a GGUF file as a tokenizer.json.
#pragma once

#include <cstdint>

#include "models/checkpoint/gguf.hpp"
#include "models/checkpoint/gguf/file.hpp"

namespace yardstick::checkpoint::gguf {

/// From tokenizer.huggingface.json, or made of tokenizer.ggml.*: models "llama" (SentencePiece's
/// BPE) and "gpt2" (byte-level BPE) with the pre-tokenizers that docs/checkpoints.md lists. What is
/// not supported gives a refusal instead. Null without a refusal if the file has no tokenizer.
/// @throws Error(kData) if there are more tokens than `vocabulary`, the rows of the embedding.
[[nodiscard]] GgufTokenizer read_tokenizer(const File& file, std::int64_t vocabulary);

}  // namespace yardstick::checkpoint::gguf
