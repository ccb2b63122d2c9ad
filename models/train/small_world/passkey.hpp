// Pass-key prompts in the published format (Mohtashami & Jaggi, arXiv 2305.16300; the wording and
// the layout of the lines are those of YaRN's passkey script), as training data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/random.hpp"

namespace yardstick::small_world {

inline constexpr std::string_view kTaskLine =
    "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. "
    "I will quiz you about the important information there.";
inline constexpr std::string_view kNoise =
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
inline constexpr std::string_view kNeedleWords =
    "The pass key is. Remember it. is the pass key.";  ///< the needle without its key
inline constexpr std::string_view kFinalQuestion = "What is the pass key? The pass key is";

/// A prompt that ends where the key is asked for, and the key.
struct PasskeyPrompt {
  std::string text;
  int key = 0;
  std::int64_t tokens = 0;  ///< of `text`, in the small world's tokenizer
};

/// Tokens of a prompt without filler.
[[nodiscard]] std::int64_t shortest_passkey_prompt();

/// A prompt of exactly `tokens` tokens with the needle at a uniformly drawn depth; whole words of
/// filler. @throws Error(kInternal) if `tokens` is less than shortest_passkey_prompt().
[[nodiscard]] PasskeyPrompt make_passkey_prompt(std::int64_t tokens, Random& random);

/// The same, but each filler is cut inside a word, as cutting by characters does. It may be shorter
/// than `tokens` by a few tokens, never longer.
[[nodiscard]] PasskeyPrompt make_ragged_passkey_prompt(std::int64_t tokens, Random& random);

}  // namespace yardstick::small_world
