// Multiple choice declared in YAML: a data file, templates for context and choices, scored by the
// log-likelihood of each choice behind the context.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, task, version and description are read already)
/// and the items from the data file.
[[nodiscard]] std::unique_ptr<const Task> make_multiple_choice(Fields& fields,
                                                               const TaskDefinition& definition);

}  // namespace yardstick::tasks
