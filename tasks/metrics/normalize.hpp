// The forms in which answers are compared: SQuAD's, and exact_match's options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/template/python_regex.hpp"

namespace yardstick::tasks {

/// Lower case, ASCII punctuation removed, the words a, an, the removed, white space folded to
/// single blanks. Source: SQuAD's evaluation script (Rajpurkar et al. 2016). May be empty.
[[nodiscard]] std::string normalize_answer(std::string_view text);

/// What exact_match leaves out of both texts; applied in the order of the members.
struct Ignored {
  std::vector<PythonRegex> patterns;
  std::string patterns_place;  ///< where they are written, for messages; or empty
  bool letter_case = false;
  bool punctuation = false;  ///< that of ASCII
  bool numbers = false;      ///< the digits 0 to 9
};

/// @throws Error(kData) naming the patterns' place if one backtracks too much on this text.
[[nodiscard]] std::string without(const Ignored& ignored, std::string_view text);

}  // namespace yardstick::tasks
