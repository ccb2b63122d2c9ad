// Byte tokens: "<0x00>" to "<0xFF>", which characters without a token are spelled with.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "models/tokenizer/vocabulary.hpp"

namespace yardstick::tokenizer {

/// The byte that the token "<0xNN>" stands for.
[[nodiscard]] std::optional<char> fallback_byte(std::string_view token);

/// Ids of all byte tokens. @throws Error(kData) naming the first that the vocabulary lacks.
[[nodiscard]] std::array<TokenId, 256> byte_tokens(const Vocabulary& vocabulary);

}  // namespace yardstick::tokenizer
