// Unicode as the text metrics see it: code points as numbers, their classes, lower case. What
// counts as what is Python's, of template/code_points.hpp and letter_case.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// The code points of `text`; U+FFFD for each byte that is not part of well-formed UTF-8, as a
/// model's output may have them where generation stopped.
[[nodiscard]] std::u32string code_points(std::string_view text);

[[nodiscard]] std::string to_utf8(std::u32string_view text);

/// General category L or N: what Python's \w matches, but for '_'.
[[nodiscard]] bool is_letter_or_number(char32_t c);

/// General category Nd: what Python's \d matches.
[[nodiscard]] bool is_decimal_digit(char32_t c);

/// General category L or N, or a combining mark (M), which is part of the letter before it.
[[nodiscard]] bool is_word_character(char32_t c);

/// White space as Python's str.isspace has it: White_Space and the separators U+001C to U+001F.
[[nodiscard]] bool is_space(char32_t c);

/// The 32 characters of ASCII that are neither letter, digit, space nor control.
[[nodiscard]] bool is_ascii_punctuation(char32_t c);

/// Python's str.lower: U+0130 gives two characters, a capital sigma at the end of a word the final
/// one.
[[nodiscard]] std::u32string lower(std::u32string_view text);
[[nodiscard]] std::string lower(std::string_view text);

/// `text` without white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// The words between runs of white space; none is empty.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

}  // namespace yardstick::tasks
