#include "tasks/downstream/document.hpp"

#include <fmt/format.h>

namespace yardstick::tasks {

std::string TaskDocument::id() const { return fmt::format("line-{:06}{}", line, part); }

}  // namespace yardstick::tasks
