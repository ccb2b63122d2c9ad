#include "models/tokenizer/unicode.hpp"

#include "core/text.hpp"

namespace yardstick::tokenizer {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// How many bytes from `at` form the longest beginning of some well-formed sequence; at least 1.
std::size_t maximal_subpart(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  std::size_t length = 1;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  std::size_t good = 1;
  while (good < length && at + good < text.size()) {
    const unsigned byte = byte_at(text, at + good);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++good;
  }
  return good;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return {lead, 1};
  const auto tail = [&](std::size_t i) { return byte_at(text, at + i) & 0x3FU; };
  if (lead < 0xE0) return {((lead & 0x1FU) << 6U) | tail(1), 2};
  if (lead < 0xF0) return {((lead & 0x0FU) << 12U) | (tail(1) << 6U) | tail(2), 3};
  return {((lead & 0x07U) << 18U) | (tail(1) << 12U) | (tail(2) << 6U) | tail(3), 4};
}

std::string to_utf8(char32_t value) {
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((value >> shift) & 0x3FU));
  };
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) return {static_cast<char>(0xC0U | (value >> 6U)), tail(0)};
  if (value < 0x10000) return {static_cast<char>(0xE0U | (value >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (value >> 18U)), tail(12), tail(6), tail(0)};
}

std::string repair_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t good = find_invalid_utf8(bytes).value_or(bytes.size());
    out += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    out += "\xEF\xBF\xBD";
    bytes.remove_prefix(maximal_subpart(bytes, 0));
  }
  return out;
}

}  // namespace yardstick::tokenizer
