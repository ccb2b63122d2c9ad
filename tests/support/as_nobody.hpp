// Actions of another user, and in folders that nobody may write to, whoever runs the tests.
#pragma once

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace yardstick::test {

inline constexpr int kCannot = 77;

/// A folder in which nobody but root may make or remove a file, while this lives.
class LockedFolder {
 public:
  explicit LockedFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::permissions(folder_, kReadAndSearch);
  }
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  ~LockedFolder() {
    std::error_code ignored;
    std::filesystem::permissions(folder_, kReadAndSearch | std::filesystem::perms::owner_write,
                                 ignored);
  }

 private:
  static constexpr std::filesystem::perms kReadAndSearch{0555};
  std::filesystem::path folder_;
};

/// 0 if `action` returns true, 1 if false, 2 and its message on stderr if it throws.
template <typename Action>
int status_of(const Action& action) {
  try {
    return action() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

/// status_of() in a process of its own, which is where it may give up rights. It has one thread:
/// what needs others (a run) hangs.
template <typename Action>
int in_a_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(status_of(action));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// in_a_child() as a user without any right; kCannot where that is not allowed.
template <typename Action>
int as_nobody(const Action& action) {
  constexpr unsigned kNobody = 65534;
  return in_a_child([&] {
    const bool is_root = ::geteuid() == 0;
    if (is_root &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      ::_exit(kCannot);
    return action();
  });
}

/// in_a_child() that sees `folder` as a read-only medium; kCannot where that cannot be mounted.
template <typename Action>
int on_a_read_only_medium(const std::filesystem::path& folder, const Action& action) {
  return in_a_child([&] {
    const char* const path = folder.c_str();
    const bool is_mounted =
        ::unshare(CLONE_NEWNS) == 0 &&
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount(path, path, nullptr, MS_BIND, nullptr) == 0 &&
        ::mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
    if (!is_mounted) ::_exit(kCannot);
    return action();
  });
}

}  // namespace yardstick::test
