// A model folder's tokenizer as tasks see it. Inside models/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/engine/request.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace yardstick::models {

struct CodecParts {
  const tokenizer::Tokenizer* tokenizer = nullptr;  ///< null: texts are refused
  std::string folder;                               ///< for messages
  std::optional<TokenId> bos;
  std::optional<TokenId> end_of_text;
  std::vector<TokenId> end_of_generation;
  std::int64_t vocabulary = 0;
};

/// The parts' tokenizer must outlive the codec.
[[nodiscard]] std::unique_ptr<const TextCodec> make_codec(CodecParts parts);

}  // namespace yardstick::models
