// Upper, lower and title case as Python has them: full mappings (one letter may become three) and
// the final sigma.
#pragma once

#include <string>
#include <string_view>

namespace yardstick::tasks::jinja {

[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string title(std::string_view text);
[[nodiscard]] std::string capitalize(std::string_view text);
[[nodiscard]] std::string swap_case(std::string_view text);

/// Python's str.isupper and islower: at least one letter with case, and all of them that one.
[[nodiscard]] bool is_upper(std::string_view text);
[[nodiscard]] bool is_lower(std::string_view text);

}  // namespace yardstick::tasks::jinja
