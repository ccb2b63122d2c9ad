#include "harness/store/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

Error lock_error(const std::filesystem::path& file, std::string_view what, int code) {
  return {ErrorKind::kStore, fmt::format("{}: {}: {}", file.string(), what, std::strerror(code))};
}

std::string read_holder(int descriptor) {
  std::array<char, 300> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  std::string holder(text.data(), static_cast<std::size_t>(size > 0 ? size : 0));
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  return holder.empty() ? "another process" : holder;
}

/// Whether `file` still names the file behind `descriptor`: its last holder may have removed it
/// between our open and our lock.
bool is_current(int descriptor, const std::filesystem::path& file) {
  struct stat held {};
  struct stat named {};
  return ::fstat(descriptor, &held) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

RunLock::RunLock(const std::filesystem::path& database)
    : file_(std::filesystem::path(database) += ".lock") {
  if (database.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(database.parent_path(), error);
    if (error) throw lock_error(database.parent_path(), "cannot make the folder", error.value());
  }
  while (descriptor_ < 0) {
    // No link is followed: what it names would be emptied.
    const int descriptor =
        ::open(file_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == ELOOP) {
      throw Error(ErrorKind::kStore,
                  fmt::format("{}: is a link, expected the lock file of {}, or nothing; remove it",
                              file_.string(), database.filename().string()));
    }
    if (descriptor < 0) throw lock_error(file_, "cannot open the lock file", errno);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int code = errno;
      const std::string holder = read_holder(descriptor);
      ::close(descriptor);
      if (code != EWOULDBLOCK) throw lock_error(file_, "cannot lock", code);
      throw Error(
          ErrorKind::kStore,
          fmt::format("{}: another run is writing this database ({}); wait for it, stop it, "
                      "or name another database with --db",
                      database.string(), holder));
    }
    if (is_current(descriptor, file_))
      descriptor_ = descriptor;
    else
      ::close(descriptor);
  }
  const std::string holder = fmt::format("pid {} on host {}\n", ::getpid(), host_name());
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, holder.data(), holder.size(), 0) !=
                                              static_cast<ssize_t>(holder.size())) {
    const int code = errno;
    ::unlink(file_.c_str());
    ::close(descriptor_);
    throw lock_error(file_, "cannot write the lock file", code);
  }
}

RunLock::~RunLock() {
  // In a folder that was moved or replaced it may be another's.
  if (is_current(descriptor_, file_)) ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace yardstick::harness
