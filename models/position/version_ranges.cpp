#include "models/position/version_ranges.hpp"

#include <algorithm>
#include <utility>

namespace yardstick::position {
namespace {

/// Methods give farther keys the higher versions, so that descending versions are ascending keys.
std::pair<int, int> order(const VersionRanges& ranges) {
  return {-ranges.query_version, -ranges.key_version};
}

VersionRanges& find(std::vector<VersionRanges>& list, const KeySpan& span, std::int64_t count) {
  const auto has_versions = [&](const VersionRanges& ranges) {
    return ranges.query_version == span.query_version && ranges.key_version == span.key_version;
  };
  const auto found = std::ranges::find_if(list, has_versions);
  if (found != list.end()) return *found;
  const auto size = static_cast<std::size_t>(count);
  return list.emplace_back(VersionRanges{.query_version = span.query_version,
                                         .key_version = span.key_version,
                                         .begin = std::vector<std::int64_t>(size),
                                         .end = std::vector<std::int64_t>(size),
                                         .first = span.begin,
                                         .last = span.end});
}

}  // namespace

std::vector<VersionRanges> version_ranges(const Reach& reach, std::int64_t first,
                                          std::int64_t count) {
  std::vector<VersionRanges> list;
  for (std::int64_t i = 0; i < count; ++i) {
    const Spans spans = visible(reach, first + i);
    for (const KeySpan& span : spans.list()) {
      VersionRanges& ranges = find(list, span, count);
      ranges.begin[static_cast<std::size_t>(i)] = span.begin;
      ranges.end[static_cast<std::size_t>(i)] = span.end;
      ranges.first = std::min(ranges.first, span.begin);
      ranges.last = std::max(ranges.last, span.end);
    }
  }
  for (VersionRanges& ranges : list) {
    ranges.shared_begin = std::ranges::max(ranges.begin);
    ranges.shared_end = std::ranges::min(ranges.end);
  }
  std::ranges::sort(list, {}, order);
  return list;
}

double seen_keys(const Reach& reach, std::int64_t first, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Spans spans = visible(reach, first + i);
    for (const KeySpan& span : spans.list()) sum += static_cast<double>(span.end - span.begin);
  }
  return sum;
}

}  // namespace yardstick::position
