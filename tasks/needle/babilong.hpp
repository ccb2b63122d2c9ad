// BABILong: the facts of a reasoning question spread over running text (Kuratov et al. 2024, arXiv
// 2406.10149), in context of any length.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, task, version and description are read already).
[[nodiscard]] std::unique_ptr<const Task> make_babilong(Fields& fields,
                                                        const TaskDefinition& definition);

}  // namespace yardstick::tasks
