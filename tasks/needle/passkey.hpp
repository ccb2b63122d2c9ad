// The pass-key task: a number hidden at a depth of a context of a given length, asked for at its
// end. Scored by greedy generation and by the log-probability of the right answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// The first run of ASCII digits as a number without leading zeros ("0" for zeros); nothing if
/// there is no digit. Text, so that no generated number is too long.
[[nodiscard]] std::optional<std::string> first_number(std::string_view text);

}  // namespace yardstick::tasks
