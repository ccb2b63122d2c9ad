// What makes a task of each kind; the list is tasks/kinds.def.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

// Each make_<kind>() reads the kind's own keys from `fields`; those of every task (kind, task, tag,
// group, version) are read already. @throws Error(kConfig) with file:line:column; Error(kData) for
// data that is read at once.
#define TASK_KIND(name, description)                                    \
  [[nodiscard]] std::unique_ptr<const Task> make_##name(Fields& fields, \
                                                        const TaskDefinition& definition);
#include "tasks/kinds.def"
#undef TASK_KIND

}  // namespace yardstick::tasks
