// `yarn`: YaRN's eval/perplexity.py, each document alone, BOS before every window.
#pragma once

#include <memory>

#include "core/fields.hpp"
#include "tasks/perplexity/protocols/window.hpp"

namespace yardstick::tasks {

/// Reads `stride` (default 256) and `truncate`.
[[nodiscard]] std::unique_ptr<const WindowProtocol> make_yarn(Fields& fields);

}  // namespace yardstick::tasks
