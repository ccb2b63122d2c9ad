#include "harness/store/database.hpp"

#include <sys/vfs.h>
#include <chrono>
#include <thread>

#include <array>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/migration.hpp"
#include "harness/store/schema.hpp"
#include "harness/store/triggers.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 10'000;

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
  throw Error(ErrorKind::kStore, fmt::format("{}: {}", file.string(), why));
}

int user_version(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

void check_identity(SQLite::Database& database, const fs::path& file) {
  const int version = user_version(database);
  const int ours = database
                       .execAndGet(
                           "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                           "('run', 'model', 'task', 'cell', 'suite_cell', 'sample', 'metric')")
                       .getInt();
  if (ours != 7 || version == 0) {
    refuse(file, "is an SQLite database, but not one of Yardstick; name another file with --db");
  }
  if (version > kSchemaVersion) {
    refuse(file, fmt::format("was written by a newer Yardstick (schema version {}, this program "
                             "knows {}); update the program or name another file with --db",
                             version, kSchemaVersion));
  }
}

bool is_empty(SQLite::Database& database) {
  return user_version(database) == 0 &&
         database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (!is_empty(database)) return;  // another program was faster
  database.exec(kSchema);
  database.exec(kTriggers);
  database.exec(kViews);
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

void choose_journal(SQLite::Database& database, const fs::path& file, const Warn& warn) {
  const std::string network = network_filesystem(file);
  const std::string wanted = network.empty() ? "wal" : "delete";
  if (!network.empty()) {
    warn(
        fmt::format("{}: lies on a network file system ({}): writing with a rollback journal; "
                    "a local folder is faster and safer",
                    file.string(), network));
  }
  const std::string got =
      database.execAndGet(fmt::format("PRAGMA journal_mode = {}", wanted)).getString();
  if (got != wanted) {
    warn(fmt::format("{}: SQLite keeps journal mode '{}' instead of '{}'", file.string(), got,
                     wanted));
  }
  // A log survives the death of the process in any case; a rollback journal needs the full flush.
  database.exec(got == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
}

}  // namespace

std::string_view network_filesystem_name(long type) {
  // Magic numbers of statfs(2).
  static constexpr std::array<std::pair<unsigned long, std::string_view>, 12> kNetwork = {{
      {0x6969, "NFS"},
      {0x517B, "SMB"},
      {0xFF534D42, "CIFS"},
      {0xFE534D42, "SMB2"},
      {0x65735546, "FUSE"},
      {0x01021997, "9P"},
      {0x00C36400, "Ceph"},
      {0x0BD00BD0, "Lustre"},
      {0x47504653, "GPFS"},
      {0x19830326, "BeeGFS"},
      {0x5346414F, "AFS"},
      {0x73757245, "Coda"},
  }};
  const unsigned long magic = static_cast<unsigned long>(type) & 0xFFFFFFFFUL;
  for (const auto& [number, name] : kNetwork) {
    if (number == magic) return name;
  }
  return "";
}

std::string network_filesystem(const fs::path& path) {
  fs::path at = fs::absolute(path);
  while (!fs::exists(at) && at.has_relative_path()) at = at.parent_path();
  struct statfs facts {};
  if (::statfs(at.c_str(), &facts) != 0) return "";
  return std::string(network_filesystem_name(static_cast<long>(facts.f_type)));
}

void throw_store_error(const fs::path& file, const SQLite::Exception& error) {
  std::string advice;
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      advice =
          "; the disk is full: free some space and run the same command again, what is stored "
          "stays";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: advice = "; another program holds it, close that program"; break;
    case SQLITE_NOTADB:
      advice = "; it is not an SQLite database, name another file with --db";
      break;
    case SQLITE_CORRUPT: advice = "; the file is damaged, keep a copy and start a new one"; break;
    case SQLITE_IOERR: advice = "; the disk or file system failed"; break;
    case SQLITE_READONLY:
      advice =
          "; check that the file and its folder may be written; if a run was killed while it made "
          "the file, run the suite again";
      break;
    case SQLITE_CANTOPEN: advice = "; check that the file and its folder may be written"; break;
    default: break;
  }
  throw Error(ErrorKind::kStore, fmt::format("{}: {} (SQLite code {}){}", file.string(),
                                             error.what(), error.getExtendedErrorCode(), advice));
}

bool is_blank(const fs::path& file) {
  if (!fs::exists(file)) return true;
  try {
    return is_empty(*open_to_read(file));
  } catch (const SQLite::Exception& error) {
    throw_store_error(file, error);
  }
}

namespace {

std::unique_ptr<SQLite::Database> open_read_only(const fs::path& file) {
  if (!fs::exists(file)) refuse(file, "there is no such results database");
  std::unique_ptr<SQLite::Database> database = open_to_read(file);
  check_identity(*database, file);
  if (user_version(*database) < kSchemaVersion) return migrated_copy(*database);
  return database;
}

std::unique_ptr<SQLite::Database> open_to_write(const fs::path& file, const Warn& warn) {
  auto database = std::make_unique<SQLite::Database>(
      file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
  const bool fresh = is_empty(*database);
  if (!fresh) check_identity(*database, file);  // before anything is changed
  // The journal first: a schema that is written into the log leaves no rollback journal behind
  // when the program is killed, which a look without leave to write could not resolve.
  choose_journal(*database, file, warn);
  if (fresh) create_schema(*database);
  migrate(*database);
  database->exec("PRAGMA foreign_keys = ON");
  return database;
}

/// While another program changes the journal, at its start or end, SQLite says "busy" at once.
std::unique_ptr<SQLite::Database> wait_to_write(const fs::path& file, const Warn& warn) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    try {
      return open_to_write(file, warn);
    } catch (const SQLite::Exception& error) {
      const bool is_busy = error.getErrorCode() == SQLITE_BUSY;
      if (!is_busy || std::chrono::steady_clock::now() >= end) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

std::unique_ptr<SQLite::Database> open_database(const fs::path& file, Access access,
                                                const Warn& warn) {
  try {
    return access == Access::kReadOnly ? open_read_only(file) : wait_to_write(file, warn);
  } catch (const SQLite::Exception& error) {
    throw_store_error(file, error);
  }
}

}  // namespace yardstick::harness
