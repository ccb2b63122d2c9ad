#include "models/train/small_world/sentence.hpp"

namespace yardstick::small_world {

std::int64_t count_tokens(std::string_view text) {
  std::int64_t tokens = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_word) {
      tokens += in_word ? 0 : 1;
    } else if (c != ' ') {
      ++tokens;
    }
    in_word = is_word;
  }
  return tokens;
}

}  // namespace yardstick::small_world
