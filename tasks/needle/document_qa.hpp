// Questions over documents, of which one holds the answer (Liu et al. 2023, "Lost in the Middle",
// arXiv 2307.03172).
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, task, version and description are read already).
[[nodiscard]] std::unique_ptr<const Task> make_document_qa(Fields& fields,
                                                           const TaskDefinition& definition);

}  // namespace yardstick::tasks
