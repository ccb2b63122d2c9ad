// Inside the room: whether a limit of the address space (ulimit -v) leaves room for the libraries
// that compute.
#pragma once

#include <cstdint>
#include <optional>

namespace yardstick::models {

/// What the process may still map, in bytes; nothing without a limit.
[[nodiscard]] std::optional<std::int64_t> address_space_left();

/// @throws Error(kMemory) if `left` is less than the backend library and its `threads` need: they
/// allocate in initialisers, where no error can be caught, so the process would end or hang.
void check_address_space(std::optional<std::int64_t> left, std::int64_t threads);

}  // namespace yardstick::models
