// SentencePiece's own way from a text to the one that its model sees, and back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/tokenizer/character_map.hpp"
#include "models/tokenizer/decoder.hpp"
#include "models/tokenizer/metaspace.hpp"
#include "models/tokenizer/normalizer.hpp"

namespace yardstick::tokenizer {

struct SentencePieceText {
  enum class Spaces { kKeep, kTrim };  ///< kTrim: none at the ends, one between words

  std::string character_map;              ///< empty = characters stay as they are
  std::vector<std::string> user_defined;  ///< no rule applies inside these texts
  Metaspace::Prepend prepend = Metaspace::Prepend::kAlways;  ///< of a U+2581, to parts of the text
  Spaces spaces = Spaces::kKeep;
};

/// Rules, white space and U+2581, in SentencePiece's order. @throws Error(kData) if the map is
/// damaged.
[[nodiscard]] std::unique_ptr<const NormalizerStep> sentencepiece_normalizer(
    const SentencePieceText& options);

/// Byte pieces to characters, U+2581 to spaces, without the one that was put in front.
[[nodiscard]] std::unique_ptr<const DecoderStep> sentencepiece_decoder(
    const SentencePieceText& options);

}  // namespace yardstick::tokenizer
