// Tests: {{ value is name }}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/template/callable.hpp"

namespace yardstick::tasks::jinja {

/// Null if there is no such test. Symbols such as '==' are for select and the like.
[[nodiscard]] const Callable* find_test(std::string_view name);
[[nodiscard]] std::vector<std::string> test_names();

}  // namespace yardstick::tasks::jinja
