// Values as Python prints them.
#pragma once

#include <string>
#include <string_view>

#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

/// Python's str(). @throws Fault for an undefined value, an iterator and what else has no text.
[[nodiscard]] std::string str(const Value& value);
/// Python's repr(). @throws Fault as str().
[[nodiscard]] std::string repr(const Value& value);

[[nodiscard]] std::string repr(double value);
[[nodiscard]] std::string repr(std::string_view text);
[[nodiscard]] std::string to_string(Integer value);

}  // namespace yardstick::tasks::jinja
