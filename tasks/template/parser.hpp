// Jinja's grammar, as far as it is supported.
#pragma once

#include <string_view>

#include "tasks/template/syntax.hpp"

namespace yardstick::tasks::jinja {

/// @param source with plain line ends, valid UTF-8
/// @throws Fault with an offset, for what is not Jinja or not supported.
[[nodiscard]] Body parse(std::string_view source);

}  // namespace yardstick::tasks::jinja
