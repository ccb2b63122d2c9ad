// Backslash escapes of Python's string literals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yardstick::tasks::jinja {

/// What stands between the quotes of a literal, as the text that it means. An unknown escape stays
/// as it is. Nothing for what is no text here: half a surrogate pair, \N{...}, \x without digits.
[[nodiscard]] std::optional<std::string> decode_escapes(std::string_view body);

}  // namespace yardstick::tasks::jinja
