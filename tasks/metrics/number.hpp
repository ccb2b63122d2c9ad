// Numbers as they stand in running text, compared by value without rounding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// digits x 10^exponent. No zeros at either end of `digits`, which is empty for zero: equal values
/// have equal members, however many digits they have.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;

  bool operator==(const Decimal&) const = default;
};

/// The value of a text that is one number and nothing else, white space aside: an optional sign,
/// digits (with ',' between groups of three, or none), a decimal part, an exponent.
[[nodiscard]] std::optional<Decimal> parse_number(std::string_view text);

/// The numbers of a text, in order. A letter or digit beside it makes a run of digits part of a
/// word ("x12", "12th"), '.' and ',' between digits join them into one number or into none
/// ("1.2.3", "1,2,3"), and a '-' after a letter or digit is a hyphen.
[[nodiscard]] std::vector<Decimal> numbers_in(std::string_view text);

}  // namespace yardstick::tasks
