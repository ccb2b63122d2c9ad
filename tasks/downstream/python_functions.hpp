// Task files of lm-evaluation-harness may name Python functions; none is ever run here.
#pragma once

#include "core/yaml.hpp"

namespace yardstick::tasks {

/// @throws Error(kConfig) "task.yaml:5:14: process_docs: ..." with the function's name and what to
/// write in its place, for the first `!function` of a task's keys.
void refuse_python_functions(const Located& parameters);

}  // namespace yardstick::tasks
