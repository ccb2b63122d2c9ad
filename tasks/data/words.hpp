// Words of a text, by the two countings of the field.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// Byte offsets at which words begin: maximal runs of characters that are no white space, where
/// white space is what Python's str.split() takes for it (25 characters of Unicode and the four
/// information separators). `text` is valid UTF-8.
[[nodiscard]] std::vector<std::int64_t> word_begins(std::string_view text);

/// What a text comes to when bytes or words divide a loss.
struct TextCounts {
  std::int64_t bytes = 0;  ///< UTF-8
  std::int64_t words = 0;  ///< as word_begins()
  /// Parts between runs of white space, an empty one before the first or behind the last run
  /// included: Python's len(re.split(r"\s+", text)), which lm-evaluation-harness calls words.
  std::int64_t parts = 0;

  bool operator==(const TextCounts&) const = default;
};

[[nodiscard]] TextCounts count_text(std::string_view text);

}  // namespace yardstick::tasks
