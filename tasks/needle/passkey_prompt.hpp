// The text of one pass-key prompt and the search for its size: filler sentences around a needle,
// as many as the target length holds, counted with the model's own tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  std::int64_t before = 0;        ///< filler sentences before the needle
  std::int64_t after = 0;         ///< and behind it
  std::int64_t needle_token = 0;  ///< index in `tokens` of the first one that stands for the needle
  double depth = 0;               ///< share of the filler's tokens that stand before the needle
};

/// Sentences of a text: each ends with '.', '!' or '?' before a blank or the end.
[[nodiscard]] std::vector<std::string> split_sentences(std::string_view text);

/// `count` filler sentences joined by blanks.
[[nodiscard]] std::string filler_text(const std::vector<std::string>& filler, std::int64_t count);

/// Sizes prompts for one tokenizer and one filler. Immutable, thread-safe.
class PasskeySizer {
 public:
  /// @throws Error(kData) if the filler gives no tokens.
  PasskeySizer(const TextCodec& codec, const std::vector<std::string>& filler);

  /// The longest prompt of at most `max_tokens` tokens: one more filler sentence would not fit.
  /// Nothing if not even one filler sentence fits.
  [[nodiscard]] std::optional<PasskeyPrompt> fill(const PasskeyTexts& texts,
                                                  const Placement& placement,
                                                  std::int64_t max_tokens) const;

  /// The placement for which the needle begins as near as can be to token `token` of the prompt. It
  /// does not depend on how long the prompt gets, so that prompts of all lengths with the needle at
  /// one token begin alike.
  [[nodiscard]] Placement at_token(const PasskeyTexts& texts, std::int64_t token) const;

  /// Tokens of the prompt with one filler sentence: the least feasible size.
  [[nodiscard]] std::int64_t least_tokens(const PasskeyTexts& texts,
                                          const Placement& placement) const;

 private:
  [[nodiscard]] double filler_tokens(std::int64_t sentences) const;
  /// Sentences before the needle, of n; grows by 0 or 1 when n grows by 1, so that the prompt's
  /// size grows with n and the search below has one answer.
  [[nodiscard]] std::int64_t sentences_before(const Placement& placement, std::int64_t n) const;
  /// A prompt that may be too long.
  struct Draft {
    std::int64_t before = 0;  ///< filler sentences before the needle
    std::int64_t after = 0;   ///< and behind it
    std::string text;
    std::vector<TokenSpan> spans;

    [[nodiscard]] std::int64_t sentences() const { return before + after; }
  };
  [[nodiscard]] Draft draft(const PasskeyTexts& texts, std::int64_t before,
                            std::int64_t after) const;
  [[nodiscard]] Draft draft(const PasskeyTexts& texts, const Placement& placement,
                            std::int64_t n) const;
  /// Tokens of a draft besides those that its filler is taken to have.
  [[nodiscard]] double overhead(const Draft& draft) const;
  /// The most sentences that fit, if a prompt has `overhead` tokens besides its filler; or 0.
  [[nodiscard]] std::int64_t predict(const Placement& placement, double overhead,
                                     std::int64_t max_tokens) const;

  const TextCodec& codec_;
  std::vector<double> cumulative_;  ///< tokens of the first i sentences of one round of filler
};

}  // namespace yardstick::tasks
