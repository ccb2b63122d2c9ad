#include "tasks/data/subset.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/random.hpp"

namespace yardstick::tasks {

std::vector<std::size_t> nested_subset(std::size_t count, std::optional<std::int64_t> limit,
                                       std::uint64_t seed, std::string_view purpose) {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (!limit || *limit >= static_cast<std::int64_t>(count)) return chosen;
  Random random(seed, purpose);
  random.shuffle(std::span<std::size_t>(chosen));
  chosen.resize(static_cast<std::size_t>(*limit));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace yardstick::tasks
