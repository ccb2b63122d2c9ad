// Opening a results database: create or check it, set it up for crash-safe writing, and turn
// SQLite's errors into ours. Internal to the store.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace yardstick::harness {

using Warn = std::function<void(const std::string& message)>;

enum class Access { kReadWrite, kReadOnly };

/// Opens `file`. With kReadWrite a missing or empty file becomes a new database of the current
/// schema; its journal is a write-ahead log, or a rollback journal (with a warning) where the
/// file lies on a network file system, on which a shared log is not safe. A file of an older schema
/// is brought forward; with kReadOnly it stays as it is, and a migrated copy is opened. A read-only
/// one may lie where nothing can be written (open_to_read). close_database() is its end.
/// @throws Error(kStore) if the file is absent (kReadOnly), is no Yardstick database, or was
/// written by a newer program.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_database(const std::filesystem::path& file,
                                                              Access access, const Warn& warn);

/// Whether there is no file, or one without any table: what a run leaves that was killed while it
/// made its database. @throws Error(kStore) if it is not an SQLite file.
[[nodiscard]] bool is_blank(const std::filesystem::path& file);

/// The name of the network file system that `path` (or its nearest existing parent) lies on, e.g.
/// "NFS"; empty for a local one.
[[nodiscard]] std::string network_filesystem(const std::filesystem::path& path);

/// The name for statfs's `f_type`, or empty if it is not a network file system.
[[nodiscard]] std::string_view network_filesystem_name(long type);

/// `error` as Error(kStore): the file, SQLite's words and extended code, and for a full disk, a
/// lock or a damaged file what to do.
[[noreturn]] void throw_store_error(const std::filesystem::path& file,
                                    const SQLite::Exception& error);

}  // namespace yardstick::harness
