#include "core/file_stamp.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileStamp> find_stamp(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  return FileStamp{file,
                   found.st_dev,
                   found.st_ino,
                   found.st_size,
                   nanoseconds(found.st_mtim),
                   nanoseconds(found.st_ctim)};
}

FileStamp stamp_file(const std::filesystem::path& file) {
  if (std::optional<FileStamp> stamp = find_stamp(file)) return *std::move(stamp);
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file.string(), std::strerror(errno)));
}

std::string describe_change(const FileStamp& then) {
  const std::optional<FileStamp> now = find_stamp(then.file);
  if (!now) return fmt::format("is gone ({})", std::strerror(errno));
  if (now->device != then.device || now->inode != then.inode) return "was replaced by another file";
  if (now->size != then.size)
    return fmt::format("was written to ({} bytes, now {})", then.size, now->size);
  if (now->modified_ns != then.modified_ns)
    return fmt::format("was written to ({} bytes as before, at another time)", then.size);
  if (now->changed_ns != then.changed_ns)
    return "was touched (its owner, permissions, names or times changed)";
  return "";
}

void check_unchanged(const FileStamp& before) {
  const std::string change = describe_change(before);
  if (change.empty()) return;
  throw Error(ErrorKind::kData, fmt::format("{}: {} while it was being read; wait until nothing "
                                            "writes it, or use a copy",
                                            before.file.string(), change));
}

}  // namespace yardstick
