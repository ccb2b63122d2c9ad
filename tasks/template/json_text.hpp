// The filter tojson: JSON as Python's json.dumps writes it with sorted keys, safe within HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/template/value.hpp"

namespace yardstick::tasks::jinja {

/// In one line, or with `indent` spaces a level. @throws Fault for what JSON has not, and for keys
/// that are no text.
[[nodiscard]] std::string json_text(const Value& value,
                                    std::optional<std::int64_t> indent = std::nullopt);

}  // namespace yardstick::tasks::jinja
