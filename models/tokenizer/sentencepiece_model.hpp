// What a SentencePiece tokenizer.model says, read from its bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tokenizer {

struct SentencePieceModel {
  struct Piece {
    std::string text;
    float score = 0;
    enum class Type {
      kNormal = 1,
      kUnknown,
      kControl,
      kUserDefined,
      kUnused,
      kByte
    } type = Type::kNormal;
  };
  enum class Algorithm { kUnigram = 1, kBpe };

  std::vector<Piece> pieces;  ///< by id
  Algorithm algorithm = Algorithm::kUnigram;
  TokenId unknown = 0;
  bool byte_fallback = false;
  std::optional<TokenId> bos;  ///< the control piece that trainer_spec names, if it is there
  std::string unknown_surface = " \u2047 ";  ///< what an unknown piece decodes to

  std::string character_map;  ///< precompiled_charsmap; empty = characters stay as they are
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
};

/// Parses a ModelProto. @throws Error(kData) naming the byte or the piece: truncated or lying
/// sizes, no or two unknown pieces, a piece that is empty, not UTF-8 or twice there, a score that
/// is no number, and everything that would change the ids and is not supported (word and character
/// models, white space as a suffix or not escaped, rules for decoding).
[[nodiscard]] SentencePieceModel parse_sentencepiece_model(std::string_view bytes);

}  // namespace yardstick::tokenizer
