#include "models/tokenizer/byte_fallback.hpp"

#include <charconv>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tokenizer {

std::optional<char> fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc{} || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

std::array<TokenId, 256> byte_tokens(const Vocabulary& vocabulary) {
  std::array<TokenId, 256> out{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string text = fmt::format("<0x{:02X}>", byte);
    const std::optional<TokenId> id = vocabulary.model_id(text);
    if (!id) {
      throw Error(ErrorKind::kData,
                  fmt::format("byte_fallback is on, but the byte token '{}' is missing", text));
    }
    out[byte] = *id;
  }
  return out;
}

}  // namespace yardstick::tokenizer
