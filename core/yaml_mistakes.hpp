// What people get wrong most often in YAML, found in the text itself: a parser notices it lines
// later, or not at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace yardstick {

struct YamlMistake {
  std::size_t offset = 0;  ///< in bytes, where it stands
  std::string_view what;   ///< what it is or what to do
};

inline constexpr std::string_view kOpenQuote = "the quote is not closed";
inline constexpr std::string_view kBareTemplate = "put a template in quotes: \"{{...}}\"";

/// Byte offset behind the quoted text that begins at `begin`, or npos if it is not closed.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t begin);

/// Why `text` is not valid YAML, if it is one of the usual reasons.
/// @param fault_line where a parser stopped, from 0
[[nodiscard]] std::optional<YamlMistake> find_yaml_mistake(std::string_view text,
                                                           std::size_t fault_line);

}  // namespace yardstick
