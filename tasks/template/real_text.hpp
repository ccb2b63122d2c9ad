// Numbers of type float in texts.
#pragma once

#include <optional>
#include <string>

namespace yardstick::tasks::jinja {

/// The nearest double to a decimal number in ASCII ("-1.5e3"); too large ones are infinite, too
/// small ones zero. Nothing unless all of `digits` is one number.
[[nodiscard]] std::optional<double> parse_real(const std::string& digits);

}  // namespace yardstick::tasks::jinja
