// Perplexity of texts at given context lengths, under a protocol that has a name
// (tasks/perplexity/protocols).
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the task's own keys from `fields` (kind, task, version and description are read already).
[[nodiscard]] std::unique_ptr<const Task> make_perplexity(Fields& fields,
                                                          const TaskDefinition& definition);

}  // namespace yardstick::tasks
