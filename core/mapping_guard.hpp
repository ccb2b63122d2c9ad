// Inside the room: memory maps that survive a file which shrinks under them. Without a guard the
// system ends the whole process at the first read behind the new end (SIGBUS).
#pragma once

#include <cstddef>
#include <span>

namespace yardstick {

/// Watches a map. A read behind the end of a file that shrank gives zeros, and is noted.
class MappingGuard {
 public:
  MappingGuard() = default;
  /// `map` begins and ends at pages of the system. With more than kMostMaps at a time, or none,
  /// nothing is watched.
  explicit MappingGuard(std::span<const std::byte> map);
  MappingGuard(MappingGuard&& other) noexcept;
  MappingGuard& operator=(MappingGuard&& other) noexcept;
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  ~MappingGuard();

  /// Whether a read met the end of the file.
  [[nodiscard]] bool met_end() const;

  static constexpr std::size_t kMostMaps = 4096;

 private:
  std::size_t slot_ = kMostMaps;
};

}  // namespace yardstick
