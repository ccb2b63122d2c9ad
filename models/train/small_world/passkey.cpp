#include "models/train/small_world/passkey.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/train/small_world/lexicon.hpp"
#include "models/train/small_world/sentence.hpp"

namespace yardstick::small_world {
namespace {

/// The first `tokens` tokens of the noise sentences, repeated; whole words and marks.
std::string noise_of(std::int64_t tokens) {
  std::string text;
  std::int64_t count = 0;
  std::size_t at = 0;
  while (count < tokens) {
    if (at == kNoise.size()) {
      text += ' ';
      at = 0;
    }
    std::size_t end = at + 1;
    if (kNoise[at] != '.') end = kNoise.find_first_of(" .", kNoise[at] == ' ' ? at + 1 : at);
    text += kNoise.substr(at, end - at);
    at = end;
    ++count;
  }
  return text;
}

/// Drops the second half of the last word, if there is one to split.
void cut_inside_last_word(std::string& text) {
  if (text.empty() || text.back() == '.') return;
  const std::size_t space = text.find_last_of(' ');
  const std::size_t begin = space == std::string::npos ? 0 : space + 1;
  text.resize(begin + (text.size() - begin + 1) / 2);
}

std::string join(const std::string& before, int key, const std::string& behind) {
  return fmt::format("{}\n{}\nThe pass key is {}. Remember it. {} is the pass key.\n{}\n{}",
                     kTaskLine, before, key, key, behind, kFinalQuestion);
}

struct Filler {
  std::int64_t before = 0;
  std::int64_t behind = 0;
};

Filler draw_filler(std::int64_t tokens, Random& random) {
  const std::int64_t filler = tokens - shortest_passkey_prompt();
  check(filler >= 0, "a pass-key prompt has room for its fixed lines");
  const std::int64_t before = random.between(0, filler);
  return {.before = before, .behind = filler - before};
}

}  // namespace

std::int64_t shortest_passkey_prompt() { return count_tokens(join("", kLowestKey, "")); }

PasskeyPrompt make_passkey_prompt(std::int64_t tokens, Random& random) {
  const Filler filler = draw_filler(tokens, random);
  const int key = static_cast<int>(random.between(kLowestKey, kHighestKey));
  return {.text = join(noise_of(filler.before), key, noise_of(filler.behind)),
          .key = key,
          .tokens = tokens};
}

PasskeyPrompt make_ragged_passkey_prompt(std::int64_t tokens, Random& random) {
  // Half a word of the noise ("yell" of "yellow") is at most five byte tokens instead of one.
  constexpr std::int64_t kCutTokens = 4;
  const std::int64_t spare = tokens - shortest_passkey_prompt();
  const Filler filler = draw_filler(tokens - std::min(spare, 2 * kCutTokens), random);
  const int key = static_cast<int>(random.between(kLowestKey, kHighestKey));
  std::string before = noise_of(filler.before);
  std::string behind = noise_of(filler.behind);
  if (spare >= 2 * kCutTokens) {
    cut_inside_last_word(before);
    cut_inside_last_word(behind);
  }
  return {.text = join(before, key, behind), .key = key, .tokens = tokens};
}

}  // namespace yardstick::small_world
