// The patterns of regexes_to_ignore: regular expressions in the language of task files (Python's
// re).
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace yardstick::tasks {

/// A compiled pattern. Immutable and thread-safe. Python's \Z is respelled; what else PCRE2 reads
/// in another way is rare.
class IgnoredPattern {
 public:
  /// @param place where it is written, for messages about texts it cannot be matched against
  /// @throws Error(kConfig) with the reason and the byte if the pattern does not compile.
  explicit IgnoredPattern(std::string_view pattern, std::string place = "regexes_to_ignore");

  /// `text` with all matches cut out, as re.sub(pattern, "", text).
  /// @throws Error(kData) if the pattern backtracks beyond PCRE2's limits on this text.
  [[nodiscard]] std::string without_matches(std::string_view text) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Compiled;
  std::string text_;
  std::string place_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace yardstick::tasks
