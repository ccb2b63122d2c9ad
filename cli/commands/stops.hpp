// Where a generated answer ends, as `validate` and `show` print it.
#pragma once

#include <string>

#include "models/engine/request.hpp"
#include "tasks/task.hpp"

namespace yardstick::cli {

/// "ids 2, 426; texts \"\\n\"": what ends the answer to `request`, one of `task`'s.
[[nodiscard]] std::string describe_stops(const Request& request, const tasks::Task& task);

}  // namespace yardstick::cli
