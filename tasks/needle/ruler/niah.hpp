// The form of RULER's needle prompts.
#pragma once

#include <string>
#include <string_view>

#include "tasks/needle/words.hpp"

namespace yardstick::tasks {

struct NiahForm {
  std::string head;
  std::string tail;  ///< question and beginning of the answer
};

/// One value asked for is a "number", several are "numbers".
enum class Asked { kOneValue, kSeveralValues };

[[nodiscard]] NiahForm ruler_niah_form(NeedlePart value, std::string_view query, Asked asked);

/// "One of the special magic numbers for KEY is: VALUE."
[[nodiscard]] std::string ruler_niah_needle(NeedlePart value_kind, std::string_view key,
                                            std::string_view value);

}  // namespace yardstick::tasks
