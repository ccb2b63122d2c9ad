// Task files of lm-evaluation-harness may name Python functions; none is ever run here.
#pragma once

#include "core/yaml.hpp"

namespace yardstick::tasks {

/// Looks for `!function` anywhere in a task's keys, but for those that are not used here.
/// @throws Error(kConfig) with a line for each: "task.yaml:5:14: process_docs: ...", the function's
/// name and what says the same for a task of this kind.
void refuse_python_functions(const Located& parameters);

}  // namespace yardstick::tasks
