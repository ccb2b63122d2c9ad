#include "harness/store/connection.hpp"

#include <unistd.h>
#include <chrono>
#include <thread>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 10'000;

bool may_write(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return ::access(file.c_str(), W_OK) == 0 && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::unique_ptr<SQLite::Database> open_as(const std::string& name, int flags) {
  auto database = std::make_unique<SQLite::Database>(name, flags, kBusyTimeoutMs);
  // SQLite opens lazily: only now does it look for logs, locks and what it may not write.
  static_cast<void>(database->execAndGet("SELECT count(*) FROM sqlite_master"));
  return database;
}

bool is_same_file(const FileStamp& opened) {
  const std::optional<FileStamp> now = find_stamp(opened.file);
  return now && now->device == opened.device && now->inode == opened.inode;
}

void check_nothing_beside(const fs::path& file) {
  for (const char* ending : {"-wal", "-journal"}) {
    const fs::path beside = fs::path(file) += ending;
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(beside, ignored);
    if (ignored || size == 0) continue;
    throw Error(ErrorKind::kStore,
                fmt::format("{}: {} lies beside it, with results that are not in the file yet, and "
                            "nothing can be written here; copy both files to a folder of your own "
                            "and read the copy",
                            file.string(), beside.filename().string()));
  }
}

/// SQLite's address of a file that nobody changes.
std::string immutable_address(const fs::path& file) {
  std::string address = "file:";
  for (const char c : fs::absolute(file).string()) {
    if (std::string_view("%?#").find(c) == std::string_view::npos)
      address += c;
    else
      address += fmt::format("%{:02X}", static_cast<unsigned>(c));
  }
  return address + "?immutable=1";
}

std::unique_ptr<SQLite::Database> open_unwritable(const fs::path& file) {
  try {
    return open_as(file.string(), SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception& error) {
    // Without a log that others hold open, SQLite wants to make one.
    if (error.getErrorCode() != SQLITE_CANTOPEN && error.getErrorCode() != SQLITE_READONLY) throw;
  }
  if (::access(file.c_str(), R_OK) != 0) {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: may not be read; its owner can allow it", file.string()));
  }
  check_nothing_beside(file);
  return open_as(immutable_address(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
}

}  // namespace

std::unique_ptr<SQLite::Database> open_to_read(const fs::path& file) {
  if (!may_write(file)) return open_unwritable(file);
  std::unique_ptr<SQLite::Database> database = open_as(file.string(), SQLite::OPEN_READWRITE);
  database->exec("PRAGMA query_only = ON");
  return database;
}

bool is_in_place(SQLite::Database& database, const FileStamp& opened) {
  // SQLite compares inodes alone, but with that of the file which it has open.
  int has_moved = 0;
  sqlite3_file_control(database.getHandle(), nullptr, SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return has_moved == 0 && is_same_file(opened);
}

namespace {

/// Two that close at a time stand in each other's way, and neither would be the last: so each looks
/// again once its own connection is gone. Another program that goes on is met every time.
void try_journal_again(const FileStamp& opened) {
  constexpr int kTries = 4;
  for (int i = 1; i <= kTries; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i * (3 + ::getpid() % 7)));
    if (!is_same_file(opened)) return;
    try {
      SQLite::Database database(opened.file.string(), SQLite::OPEN_READWRITE);
      if (database.execAndGet("PRAGMA journal_mode = DELETE").getString() == "delete") return;
    } catch (const SQLite::Exception&) {
      continue;
    }
  }
}

}  // namespace

void close_database(std::unique_ptr<SQLite::Database> database, const FileStamp& opened) noexcept {
  if (!database) return;
  bool is_busy = false;
  try {
    // Moved away: what the log holds goes into the file, which is complete then. SQLite itself
    // leaves the log of a file that has moved alone.
    if (!find_stamp(opened.file)) database->exec("PRAGMA wal_checkpoint(PASSIVE)");
    if (!is_same_file(opened) || !may_write(opened.file)) return;
    if (database->execAndGet("PRAGMA journal_mode").getString() != "wal") return;
    database->setBusyTimeout(0);
    database->exec("PRAGMA query_only = OFF");
    static_cast<void>(database->execAndGet("PRAGMA journal_mode = DELETE"));
  } catch (const SQLite::Exception& error) {
    // Another program has it open, and will do this; or the disk is full, and the log stays.
    is_busy = error.getErrorCode() == SQLITE_BUSY || error.getErrorCode() == SQLITE_LOCKED;
  }
  database.reset();
  if (is_busy) try_journal_again(opened);
}

}  // namespace yardstick::harness
