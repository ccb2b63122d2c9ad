// The steps around a byte-level BPE whose files do not spell them: those of a known family.
#pragma once

#include <string_view>

#include "models/tokenizer/pipeline.hpp"

namespace yardstick::tokenizer {

struct ByteLevelSteps {
  std::string_view pattern;  ///< of words, as tokenizer.json spells it; empty = GPT-2's
  enum class Form { kAsGiven, kNfc } form = Form::kAsGiven;
  enum class Prefix { kNone, kSpace } prefix = Prefix::kNone;  ///< put in front of a text
};

/// Fills in normalizer, pre-tokenizer and decoder.
void set_byte_level(const ByteLevelSteps& steps, PipelineParts& parts);

/// Contractions in any case, letters with what stands in front, up to three digits, the rest with
/// its line ends, white space: the words of cl100k_base and Llama 3.
inline constexpr std::string_view kCl100kPattern =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
/// The same with digits one by one: Qwen2.
inline constexpr std::string_view kQwen2Pattern =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

}  // namespace yardstick::tokenizer
