#include "tasks/perplexity/protocols/fields.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::tasks {

std::int64_t required_length(Fields& fields, std::string_view key, std::string_view means) {
  if (const std::optional<std::int64_t> found = fields.optional_length(key)) return *found;
  throw Error(ErrorKind::kConfig, fmt::format("{}: the protocol needs the key '{}' ({})",
                                              fields.where(key), key, means));
}

}  // namespace yardstick::tasks
