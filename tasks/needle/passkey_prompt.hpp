// The text of one pass-key prompt and the search for its size: filler sentences around a needle,
// as many as the target length holds, counted with the model's own tokenizer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tasks {

/// The fixed parts of a prompt. Lines: task, filler, needle, filler, question; an empty filler
/// leaves an empty line. Source: Mohtashami & Jaggi, arXiv 2305.16300, in the form of YaRN's
/// passkey script, which the FoPE paper (arXiv 2412.17739, sec. 5) evaluates with.
struct PasskeyTexts {
  std::string task;
  std::vector<std::string> filler;  ///< sentences, repeated in order; the part behind the needle
                                    ///< begins with the first again
  std::string needle;               ///< with its key
  std::string question;
};

/// Where the needle goes among n filler sentences.
struct Placement {
  enum class Kind {
    kSentences,  ///< behind `sentences` of them, or behind all if there are fewer
    kUniform,    ///< `share` in [0, 1) chooses one of the n + 1 gaps, all alike
  } kind = Kind::kSentences;
  std::int64_t sentences = 0;
  double share = 0;
};

/// A prompt that was sized with a tokenizer.
struct PasskeyPrompt {
  std::string text;
  std::vector<TokenId> tokens;    ///< without the window's prefix
  std::int64_t before = 0;        ///< filler sentences (or characters) before the needle
  std::int64_t after = 0;         ///< and behind it
  std::int64_t needle_token = 0;  ///< index in `tokens` of the first one that stands for the needle
  double depth = 0;               ///< share of the filler's tokens that stand before the needle
};

/// Sentences of a text: each ends with '.', '!' or '?' before a blank or the end.
[[nodiscard]] std::vector<std::string> split_sentences(std::string_view text);

/// `count` filler sentences joined by blanks.
[[nodiscard]] std::string filler_text(const std::vector<std::string>& filler, std::int64_t count);

/// Why there is no prompt: the tokens of the shortest one.
struct TooLong {
  std::int64_t least_tokens = 0;
};

/// The form of YaRN's script: filler cut by characters, n of them in all, of which
/// floor(share x (n + 1)) stand before the needle; both parts begin with the filler's beginning. n
/// is the greatest multiple of 128 whose prompt has at most `max_tokens` tokens, 0 included.
[[nodiscard]] std::variant<PasskeyPrompt, TooLong> fill_with_characters(const PasskeyTexts& texts,
                                                                        double share,
                                                                        std::int64_t max_tokens,
                                                                        const TextCodec& codec);

/// Sizes prompts of whole filler sentences for one tokenizer and one filler. Immutable,
/// thread-safe.
class PasskeySizer {
 public:
  /// @throws Error(kData) if the filler gives no tokens.
  PasskeySizer(const TextCodec& codec, const std::vector<std::string>& filler);

  /// The longest prompt of at most `max_tokens` tokens: one more filler sentence would not fit.
  /// It has at least one filler sentence.
  [[nodiscard]] std::variant<PasskeyPrompt, TooLong> fill(const PasskeyTexts& texts,
                                                          const Placement& placement,
                                                          std::int64_t max_tokens) const;

  /// The placement for which the needle begins as near as can be to token `token` of the prompt. It
  /// does not depend on how long the prompt gets, so that prompts of all lengths with the needle at
  /// one token begin alike.
  [[nodiscard]] Placement at_token(const PasskeyTexts& texts, std::int64_t token) const;

 private:
  [[nodiscard]] std::int64_t filler_tokens(std::int64_t sentences) const;
  /// Sentences before the needle, of n; grows by 0 or 1 when n grows by 1, so that the prompt's
  /// size grows with n and the search for it has one answer.
  [[nodiscard]] std::int64_t sentences_before(const Placement& placement, std::int64_t n) const;

  const TextCodec& codec_;
  std::vector<std::int64_t> cumulative_;  ///< tokens of the first i sentences of a round of filler
};

}  // namespace yardstick::tasks
