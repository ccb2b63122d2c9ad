#include "tasks/data/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace yardstick::tasks {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

/// The character that begins at `at` of valid UTF-8.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  const std::size_t bytes = lead < 0x80U ? 1 : lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  std::uint32_t code = bytes == 1 ? lead : lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (byte(i) & 0x3FU);
  return {.code = code, .bytes = bytes};
}

// Unicode's property White_Space, and U+001C to U+001F, which Python adds (bidirectional types B,
// S and WS).
bool is_space(std::uint32_t code) {
  if (code < 0x80U) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
  constexpr std::array<std::uint32_t, 8> kSingle = {0x85,   0xA0,   0x1680, 0x2028,
                                                    0x2029, 0x202F, 0x205F, 0x3000};
  return (code >= 0x2000U && code <= 0x200AU) ||
         std::find(kSingle.begin(), kSingle.end(), code) != kSingle.end();
}

}  // namespace

std::vector<std::int64_t> word_begins(std::string_view text) {
  std::vector<std::int64_t> begins;
  bool after_space = true;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const bool space = is_space(character.code);
    if (!space && after_space) begins.push_back(static_cast<std::int64_t>(at));
    after_space = space;
    at += character.bytes;
  }
  return begins;
}

TextCounts count_text(std::string_view text) {
  TextCounts counts{.bytes = static_cast<std::int64_t>(text.size())};
  bool after_space = true;
  bool begins_with_space = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const bool space = is_space(character.code);
    if (at == 0) begins_with_space = space;
    if (!space && after_space) ++counts.words;
    after_space = space;
    at += character.bytes;
  }
  // Runs of white space split the text into one part more than there are runs.
  if (counts.words == 0) {
    counts.parts = text.empty() ? 1 : 2;
  } else {
    counts.parts = counts.words + (begins_with_space ? 1 : 0) + (after_space ? 1 : 0);
  }
  return counts;
}

}  // namespace yardstick::tasks
