#include "models/tokenizer/byte_level.hpp"

#include <array>

#include "models/tokenizer/unicode.hpp"

namespace yardstick::tokenizer {
namespace {

constexpr bool is_printable(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

constexpr std::array<char32_t, 256> make_characters() {
  std::array<char32_t, 256> out{};
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) out[byte] = is_printable(byte) ? byte : next++;
  return out;
}

constexpr std::array<char32_t, 256> kCharacters = make_characters();
constexpr std::size_t kLimit = 0x100 + 68;  // 68 bytes are not printable

constexpr std::array<int, kLimit> make_bytes() {
  std::array<int, kLimit> out{};
  for (int& byte : out) byte = -1;
  for (unsigned byte = 0; byte < 256; ++byte) out[kCharacters[byte]] = static_cast<int>(byte);
  return out;
}

constexpr std::array<int, kLimit> kBytes = make_bytes();

}  // namespace

std::string byte_level_character(unsigned char byte) { return to_utf8(kCharacters[byte]); }

std::optional<std::string> byte_level_bytes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = code_point_at(text, at);
    if (c.value >= kLimit || kBytes[c.value] < 0) return std::nullopt;
    out += static_cast<char>(kBytes[c.value]);
    at += c.length_bytes;
  }
  return out;
}

}  // namespace yardstick::tokenizer
