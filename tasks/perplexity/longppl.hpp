// LongPPL: perplexity over key tokens, those that a long context helps with (Fang et al., arXiv
// 2410.23771).
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Reads the keys of `protocol: longppl`.
[[nodiscard]] std::unique_ptr<const Task> make_longppl(Fields& fields,
                                                       const TaskDefinition& definition);

}  // namespace yardstick::tasks
