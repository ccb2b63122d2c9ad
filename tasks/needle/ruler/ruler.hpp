// RULER: 13 tasks of retrieval, tracing, aggregation and question answering at any length.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, version and description are read already; `task`
/// says which of the 13).
[[nodiscard]] std::unique_ptr<const Task> make_ruler(Fields& fields,
                                                     const TaskDefinition& definition);

}  // namespace yardstick::tasks
