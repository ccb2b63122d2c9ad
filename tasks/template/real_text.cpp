#include "tasks/template/real_text.hpp"

#include <charconv>
#include <cstdlib>

namespace yardstick::tasks::jinja {

std::optional<double> parse_real(const std::string& digits) {
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [next, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::invalid_argument || next != end) return std::nullopt;
  // from_chars does not say on which side the number lies.
  if (error == std::errc::result_out_of_range) value = std::strtod(digits.c_str(), nullptr);
  return value;
}

}  // namespace yardstick::tasks::jinja
