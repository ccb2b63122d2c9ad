// tokenizer.json's normalizer "Precompiled": SentencePiece's rules, applied grapheme by grapheme.
#pragma once

#include <memory>
#include <string_view>

#include "models/tokenizer/normalizer.hpp"

namespace yardstick::tokenizer {

/// A grapheme (UAX 29, extended) of less than 6 bytes that begins with a rule's text becomes that
/// rule's replacement as a whole; else each of its characters does. So Hugging Face tokenizers do
/// it, which is not what SentencePiece itself does with the same map.
/// @throws Error(kData) if `character_map` is damaged.
[[nodiscard]] std::unique_ptr<const NormalizerStep> precompiled_normalizer(
    std::string_view character_map);

}  // namespace yardstick::tokenizer
