// Whether a model's output holds the right answer: few matchers, each with a name, none of them
// silently loose.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace yardstick::tasks {

/// Equal, once white space at both ends is cut off.
[[nodiscard]] bool matches_exactly(std::string_view output, std::string_view gold);

/// `gold` stands in `output` (case counts) as a word of its own: on each side where gold's edge is
/// a letter or digit, the neighbour is neither; and next to a digit of its edge, a '.' or ',' that
/// a digit follows (or precedes) is no border. So 12 is in "12." and not in "123", "2012", "12,000"
/// or "1.12"; "getPageCount()" is in "is getPageCount().".
[[nodiscard]] bool contains_token(std::string_view output, std::string_view gold);

/// A number of `output` has the value of `gold`: digits with an optional sign, ',' between groups
/// of three, a decimal part, an exponent. "12." is 12, "12,000" is not, "3.14" is not 314.
[[nodiscard]] bool contains_number(std::string_view output, std::string_view gold);

/// RULER's string_match_all: the share of `golds` that stand in `output` as substrings, case
/// ignored. Bug for bug: 12 is in "2012".
[[nodiscard]] double ruler_all(std::string_view output, std::span<const std::string> golds);

/// RULER's string_match_part: 1 if any of `golds` stands in `output` as a substring, case ignored.
[[nodiscard]] double ruler_any(std::string_view output, std::span<const std::string> golds);

}  // namespace yardstick::tasks
