// Inside the room: asking the memory for what comes next.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

/// Asks for part `index` of `parts` of the bytes behind `first`, so that they lie in the
/// second-level cache when their turn comes.
inline void prefetch_part(const void* first, std::int64_t bytes, std::int64_t index,
                          std::int64_t parts) {
  constexpr std::int64_t kLine = 64;
  const auto* const begin = static_cast<const char*>(first);
  const std::int64_t lines = (bytes + kLine - 1) / kLine;
  for (std::int64_t line = lines * index / parts; line < lines * (index + 1) / parts; ++line)
    __builtin_prefetch(begin + line * kLine, 0, 2);
}

}  // namespace yardstick::models::kernels
