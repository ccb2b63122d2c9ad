// A needle in a haystack: any needle, question and answer, in any text, on a grid of depths and
// lengths.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, task, version and description are read already).
[[nodiscard]] std::unique_ptr<const Task> make_niah(Fields& fields,
                                                    const TaskDefinition& definition);

}  // namespace yardstick::tasks
