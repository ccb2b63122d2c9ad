// The samples of a cell that are built each on its own, beside each other.
#pragma once

#include <cstddef>
#include <functional>
#include <variant>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// A sample, or why it cannot be asked.
using BuiltSample = std::variant<Sample, SampleScore>;

/// make(i) for each i in [0, count), called as parallel_for_each() calls; samples and skipped ones
/// in the order of i, whatever the threads.
[[nodiscard]] Task::Built build_each(std::size_t count,
                                     const std::function<BuiltSample(std::size_t i)>& make);

}  // namespace yardstick::tasks
