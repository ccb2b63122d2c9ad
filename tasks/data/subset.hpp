// A random subset that grows with its size, for quick looks at part of a task.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.hpp"

namespace yardstick::tasks {

/// Indices of at most `subset.limit` of `count` items, ascending. Random ones are drawn without
/// replacement from one permutation that depends on (seed, purpose) alone: the subset for 10 is
/// part of that for 20.
[[nodiscard]] std::vector<std::size_t> choose_subset(std::size_t count, const Subset& subset,
                                                     std::uint64_t seed, std::string_view purpose);

/// choose_subset() of categories.size() items whose random subsets hold each category in proportion
/// to its size: of n items, each category of share s has between floor(n s) - 1 and ceil(n s) + 1.
/// Nested as well.
[[nodiscard]] std::vector<std::size_t> choose_stratified(std::span<const std::string> categories,
                                                         const Subset& subset, std::uint64_t seed,
                                                         std::string_view purpose);

}  // namespace yardstick::tasks
