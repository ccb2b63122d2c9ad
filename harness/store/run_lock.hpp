// One writer a database: an advisory lock on <database>.lock that dies with its process, and that
// says who holds it.
#pragma once

#include <filesystem>
#include <string>

namespace yardstick::harness {

class RunLock {
 public:
  /// Takes the lock of `database` or @throws Error(kStore) naming the other process (its pid and
  /// host) or the system's reason. Creates missing folders.
  explicit RunLock(const std::filesystem::path& database);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock();  ///< removes the file and lets go

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// This machine's name.
[[nodiscard]] std::string host_name();

}  // namespace yardstick::harness
