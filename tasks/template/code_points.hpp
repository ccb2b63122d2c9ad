// Text by code points, as Python counts it, and Python's classes of characters. Bytes that are no
// UTF-8 count as characters of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks::jinja {

/// The bytes of each code point; views into `text`.
[[nodiscard]] std::vector<std::string_view> code_points(std::string_view text);
std::vector<std::string_view> code_points(std::string&& text) = delete;

/// The first code point of `text`, which must not be empty, and its size in bytes.
struct CodePoint {
  std::int32_t value = 0;  ///< -1 for a byte that is no UTF-8
  std::size_t size = 1;
};
[[nodiscard]] CodePoint first_code_point(std::string_view text);

void append_code_point(std::string& out, std::int32_t code_point);

/// Code points in `text`.
[[nodiscard]] std::int64_t length_of(std::string_view text);
/// The byte offset of the code point `index`, or the size of `text` where it has fewer.
[[nodiscard]] std::size_t offset_of(std::string_view text, std::int64_t index);

[[nodiscard]] bool is_space(std::int32_t code_point);      ///< str.isspace
[[nodiscard]] bool is_letter(std::int32_t code_point);     ///< str.isalpha
[[nodiscard]] bool is_digit(std::int32_t code_point);      ///< str.isdigit
[[nodiscard]] bool is_numeral(std::int32_t code_point);    ///< categories Nd, Nl and No
[[nodiscard]] bool is_printable(std::int32_t code_point);  ///< str.isprintable
[[nodiscard]] bool is_word(std::int32_t code_point);       ///< \w of Python's re
/// May stand in a name of a template.
[[nodiscard]] bool is_name_part(std::int32_t code_point);
/// The value of a decimal digit of any script, or -1.
[[nodiscard]] int decimal_value(std::int32_t code_point);

/// Without white space at its ends.
[[nodiscard]] std::string_view strip_left(std::string_view text);
[[nodiscard]] std::string_view strip_right(std::string_view text);
[[nodiscard]] std::string_view strip(std::string_view text);
/// Without the code points of `set` at its ends.
[[nodiscard]] std::string_view strip_left(std::string_view text, std::string_view set);
[[nodiscard]] std::string_view strip_right(std::string_view text, std::string_view set);

}  // namespace yardstick::tasks::jinja
