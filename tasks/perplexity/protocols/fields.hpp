// Keys that a protocol cannot do without.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/fields.hpp"

namespace yardstick::tasks {

/// The length under `key`. @throws Error(kConfig) if it is absent, saying what it `means`.
[[nodiscard]] std::int64_t required_length(Fields& fields, std::string_view key,
                                           std::string_view means);

}  // namespace yardstick::tasks
