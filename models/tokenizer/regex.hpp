// Regular expressions over valid UTF-8 (PCRE2 with Unicode properties, compiled just in time), and
// the searches that tokenizers build on them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tokenizer {

/// A part [begin, end) of a searched text, matched or between matches.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  enum class Kind { kMatch, kGap } kind = Kind::kGap;
};

/// A compiled pattern. Immutable and thread-safe.
class Regex {
 public:
  /// @param pattern in PCRE2's language; see translate_pattern for the one of tokenizer.json.
  /// @throws Error(kData) with the reason and place if the pattern does not compile.
  explicit Regex(const std::string& pattern);
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  ~Regex();

  struct Compiled;
  [[nodiscard]] const Compiled& compiled() const { return *compiled_; }

 private:
  std::unique_ptr<Compiled> compiled_;
};

/// The working memory of searches with one pattern: cheap to reuse, for one thread at a time.
class RegexSearch {
 public:
  explicit RegexSearch(const Regex& regex);
  RegexSearch(const RegexSearch&) = delete;
  RegexSearch& operator=(const RegexSearch&) = delete;
  ~RegexSearch();

  /// Appends all of `text` to `out` as alternating gaps and matches, leftmost first, without empty
  /// gaps; an empty match directly behind a match is skipped.
  /// @throws Error(kData) if matching exceeds PCRE2's limits (a pattern that backtracks too much).
  void partition(std::string_view text, std::vector<Stretch>& out);

 private:
  class Matcher;
  std::unique_ptr<Matcher> matcher_;
};

/// A pattern that matches exactly `text`.
[[nodiscard]] std::string quote_pattern(std::string_view text);

/// The PCRE2 spelling of a pattern of tokenizer.json, which is written in Oniguruma's Ruby syntax.
/// Only constructs that mean the same in both, or that can be respelled, pass.
/// @throws Error(kData) naming the construct and its byte in the pattern.
[[nodiscard]] std::string translate_pattern(std::string_view pattern);

/// Unicode White_Space, as PCRE2 spells it. PCRE2's own \s also has U+180E, which is none.
inline constexpr std::string_view kWhiteSpace = "\\p{White_Space}";
/// Word characters of UTS 18 annex C, for use inside a class.
inline constexpr std::string_view kWordCharacters =
    "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";

}  // namespace yardstick::tokenizer
