// What Python's methods do to text, shared by methods and filters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::tasks::jinja {

/// `times` < 0: all. An empty `old` matches between all code points.
[[nodiscard]] std::string replace(std::string_view text, std::string_view old,
                                  std::string_view replacement, std::int64_t times);
/// In the middle of `width` code points, filled with `fill`.
[[nodiscard]] std::string center(std::string_view text, std::int64_t width, std::string_view fill);
enum class LineEnds { kDropped, kKept };
/// As str.splitlines.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text, LineEnds ends);
/// At most `limit` cuts (< 0: all) at `separator`, from the right.
[[nodiscard]] std::vector<std::string_view> split_right(std::string_view text,
                                                        std::string_view separator,
                                                        std::int64_t limit);

}  // namespace yardstick::tasks::jinja
