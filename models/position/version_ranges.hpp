// What consecutive queries see, sorted by the versions of rotation that they see it with: the form
// in which attention, which multiplies many queries at a time, reads a reach.
#pragma once

#include <cstdint>
#include <vector>

#include "models/position/reach.hpp"

namespace yardstick::position {

/// Keys [begin[i], end[i]) of the i-th query, taken with one version of the queries and one of the
/// keys; begin[i] = end[i] where that query takes none so.
struct VersionRanges {
  int query_version = 0;
  int key_version = 0;
  std::vector<std::int64_t> begin;  ///< [queries]
  std::vector<std::int64_t> end;    ///< [queries]
  std::int64_t first = 0;           ///< the least key that any of the queries takes
  std::int64_t last = 0;            ///< one behind the greatest
  std::int64_t shared_begin = 0;    ///< each of the queries takes the keys [shared_begin,
  std::int64_t shared_end = 0;      ///< shared_end), if that is a range

  /// Whether each of the queries takes all of the keys [key_begin, key_end).
  [[nodiscard]] bool all_take(std::int64_t key_begin, std::int64_t key_end) const {
    return shared_begin <= key_begin && key_end <= shared_end;
  }
};

/// visible() of the queries at places first .. first + count - 1. In the list's order each query
/// takes its keys in ascending order, whichever queries are asked about with it.
[[nodiscard]] std::vector<VersionRanges> version_ranges(const Reach& reach, std::int64_t first,
                                                        std::int64_t count);

/// Keys that the queries at places first .. first + count - 1 see, summed over the queries.
[[nodiscard]] double seen_keys(const Reach& reach, std::int64_t first, std::int64_t count);

}  // namespace yardstick::position
