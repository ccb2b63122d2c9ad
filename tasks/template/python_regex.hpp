// Regular expressions in the language of Python's module re, as far as both it and PCRE2 mean the
// same by them; the rest is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// A compiled expression. Immutable and thread-safe; copies share it.
class PythonRegex {
 public:
  /// The whole match and each group, as bytes of the text; nothing for a group that took no part.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  using Match = std::vector<std::optional<Span>>;

  /// @throws Error(kConfig) with the byte in `pattern` for what is no expression, or not supported.
  explicit PythonRegex(std::string_view pattern);

  /// As it was given.
  [[nodiscard]] const std::string& pattern() const;

  /// The first match, as re.search. `text` must be valid UTF-8, here and below.
  /// @throws Error(kData) for a match that backtracks too much.
  [[nodiscard]] std::optional<Match> search(std::string_view text) const;

  /// All matches, as re.finditer: left to right, without overlap.
  [[nodiscard]] std::vector<Match> find_all(std::string_view text) const;

  /// re.sub(pattern, replacement, text, count): \1 and \g<name> in `replacement` stand for groups.
  /// @param count at most so many; 0: all
  /// @throws Error(kConfig) for a replacement that cannot be read; Error(kData) for a result beyond
  /// `max_bytes`, or as search().
  [[nodiscard]] std::string substitute(std::string_view text, std::string_view replacement,
                                       std::int64_t count, std::size_t max_bytes) const;

 private:
  struct Compiled;
  class Matches;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace yardstick::tasks
