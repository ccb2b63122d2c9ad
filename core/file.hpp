// Files: whole reads, read-only memory maps and atomic writes, with errors that name the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/mapping_guard.hpp"

namespace yardstick {

/// The whole file as bytes. @throws Error(kData) if it cannot be opened or read.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// Replaces `file` by `contents` so that a reader or a crash sees the old or the new text, never a
/// part: writes a temporary sibling, flushes it to disk, renames. Creates missing parent folders.
/// @throws Error(kData) (full disk, no permission) with the system's reason; the old file stays.
void write_file_atomically(const std::filesystem::path& file, std::string_view contents);

/// A read-only memory map of a whole file. Movable; unmapped by the destructor.
class MappedFile {
 public:
  /// @throws Error(kData) if the file cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  /// Lets the system take back the memory that whole pages of `part` occupy; read again, they come
  /// from the file. Nothing for a part that is not of this file.
  void release(std::span<const std::byte> part) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Whoever has read the map asks here whether all of it came from the file.
  /// @throws Error(kData) if the file shrank and a read met its end: zeros were read there.
  void check_whole() const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
  MappingGuard guard_;
};

}  // namespace yardstick
