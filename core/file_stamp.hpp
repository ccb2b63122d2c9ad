// What a file was when it was read, to notice afterwards that it is no longer that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace yardstick {

/// Links are followed: the stamp is that of the file which `file` names in the end.
struct FileStamp {
  std::filesystem::path file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;         ///< bytes
  std::int64_t modified_ns = 0;  ///< since 1970: contents
  std::int64_t changed_ns = 0;   ///< since 1970: contents, owner, permissions, names

  bool operator==(const FileStamp&) const = default;
};

/// @throws Error(kData) with the system's reason if there is no such file.
[[nodiscard]] FileStamp stamp_file(const std::filesystem::path& file);

/// Nothing, and errno says why, if there is no such file.
[[nodiscard]] std::optional<FileStamp> find_stamp(const std::filesystem::path& file);

/// What is different now, as the end of "FILE ...": "was written to (...)", "is gone (...)"; empty
/// for a file that is as it was.
[[nodiscard]] std::string describe_change(const FileStamp& then);

/// For whoever has just read a file and stamped it before.
/// @throws Error(kData) saying what is different, and what to do.
void check_unchanged(const FileStamp& before);

}  // namespace yardstick
