// How a database is opened to be read, wherever it lies, and how any is closed, so that nothing but
// the one file is left. Internal to the store and to what reads it.
#pragma once

#include <filesystem>
#include <memory>

#include "core/file_stamp.hpp"

namespace SQLite {
class Database;
}

namespace yardstick::harness {

/// Opens `file`, which is there, to be read. Where file and folder may be written, what a killed
/// run left is put in order first, as SQLite does; SQL that changes something is refused. Where
/// nothing can be written (a read-only medium, another user's folder) the file is read as it is.
/// @throws Error(kStore) if a log or journal that is not yet in the file lies beside it there;
/// SQLite::Exception for what is no database.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_to_read(const std::filesystem::path& file);

/// Closes a database. The last one to close it leaves a rollback journal's mode, with which a file
/// can be read where nothing can be written, and neither -wal nor -shm. A file that is no longer
/// the one that was opened is let go as it is.
void close_database(std::unique_ptr<SQLite::Database> database, const FileStamp& opened) noexcept;

/// Whether the file that `database` writes to still has the name under which it was opened.
[[nodiscard]] bool is_in_place(SQLite::Database& database, const FileStamp& opened);

}  // namespace yardstick::harness
