// A random subset that grows with its size, for quick looks at part of a task.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yardstick::tasks {

/// Indices of at most `limit` of `count` items, ascending. Drawn without replacement from one
/// permutation that depends on (seed, purpose) alone: the subset for 10 is part of that for 20.
[[nodiscard]] std::vector<std::size_t> nested_subset(std::size_t count,
                                                     std::optional<std::int64_t> limit,
                                                     std::uint64_t seed, std::string_view purpose);

}  // namespace yardstick::tasks
