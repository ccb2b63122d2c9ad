// A regular expression of a task file: PCRE2 over UTF-8 with Unicode classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// Immutable and thread-safe.
class Pattern {
 public:
  /// @throws Error(kConfig) with the byte in the pattern and the reason if it does not compile.
  Pattern(const std::string& pattern, std::string_view place);
  Pattern(Pattern&& other) noexcept;
  Pattern& operator=(Pattern&& other) noexcept;
  ~Pattern();

  /// `text` with every match replaced, leftmost first; $1 or ${name} in `replacement` is what a
  /// group matched, $$ a dollar sign.
  /// @throws Error(kConfig) for a replacement that names no group; Error(kData) if matching takes
  /// too many steps.
  [[nodiscard]] std::string replace_all(std::string_view text, std::string_view replacement) const;

  /// Each match, leftmost first, as Python's re.findall() gives it: its groups (an empty text for
  /// one that did not take part), or all of it if the pattern has none. `text` is valid UTF-8.
  /// @throws Error(kData) if matching takes too many steps.
  [[nodiscard]] std::vector<std::vector<std::string>> find_all(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace yardstick::tasks
