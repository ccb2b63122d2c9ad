// Code points in and out of UTF-8 text that is already known to be valid, and the lossy repair of
// byte strings that need not be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yardstick::tokenizer {

struct CodePoint {
  char32_t value = 0;
  std::size_t length_bytes = 0;
};

[[nodiscard]] inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The code point that starts at byte `at` of `text`, which must be valid UTF-8.
[[nodiscard]] CodePoint code_point_at(std::string_view text, std::size_t at);

/// The text of one code point.
[[nodiscard]] std::string to_utf8(char32_t value);

/// `bytes` with every maximal part of an ill-formed sequence replaced by one U+FFFD (Unicode 15,
/// section 3.9, "substitution of maximal subparts").
[[nodiscard]] std::string repair_utf8(std::string_view bytes);

}  // namespace yardstick::tokenizer
