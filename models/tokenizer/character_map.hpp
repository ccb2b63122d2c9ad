// SentencePiece's compiled normalization rules: which characters, or runs of them, become which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tokenizer {

/// Read from the bytes of "precompiled_charsmap": the size of a double array in bytes (32 bits,
/// little endian), the array (Aoe 1989, in the units of Darts-clone), and the replacements, each
/// ended by a zero byte. Every index is checked, so that a damaged map gives no wild reads.
class CharacterMap {
 public:
  /// @throws Error(kData) if the sizes contradict each other.
  explicit CharacterMap(std::string_view bytes);

  struct Rule {
    std::size_t length_bytes = 0;  ///< of what is replaced
    std::string_view replacement;  ///< lives as long as the map
  };
  /// The rule for the longest beginning of `text`, or nothing.
  [[nodiscard]] std::optional<Rule> longest(std::string_view text) const;
  /// The rule for the shortest beginning of `text`, or nothing.
  [[nodiscard]] std::optional<Rule> shortest(std::string_view text) const;

 private:
  template <typename Found>
  void prefixes(std::string_view text, const Found& found) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // ends with a zero byte
};

}  // namespace yardstick::tokenizer
