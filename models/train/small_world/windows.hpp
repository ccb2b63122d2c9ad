// The training stream of the small world: text window i is a pure function of (seed, i).
#pragma once

#include <cstdint>
#include <string>

namespace yardstick::small_world {

enum class WindowKind { kQuestions, kLists, kPasskey, kNarrative };

struct TextWindow {
  WindowKind kind = WindowKind::kQuestions;
  std::string text;  ///< at least the asked number of tokens
  /// kPasskey: tokens before the key that is asked for, and the key.
  std::int64_t prompt_tokens = 0;
  int key = 0;
};

/// Text of at least `tokens` tokens (more are to be cut off). About 35 % of the windows hold
/// several facts and several questions, 25 % lists that are said again, 25 % a pass-key prompt,
/// 15 % a piece of a long document.
[[nodiscard]] TextWindow make_window(std::uint64_t seed, std::uint64_t index, std::int64_t tokens);

/// A whole window whose last token is the pass key, for checks of retrieval.
[[nodiscard]] TextWindow make_passkey_window(std::uint64_t seed, std::uint64_t index,
                                             std::int64_t tokens);

}  // namespace yardstick::small_world
