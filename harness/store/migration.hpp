// Databases of older schemas, brought forward. Internal to the store and to what reads it.
#pragma once

#include <memory>

namespace SQLite {
class Database;
}

namespace yardstick::harness {

/// Brings a database of an older schema to kSchemaVersion, in one transaction; nothing to do for
/// one that has it. @throws SQLite::Exception
void migrate(SQLite::Database& database);

/// A copy of an older database, migrated, in a temporary file that goes with it: for a reader, who
/// changes nothing. @throws SQLite::Exception
[[nodiscard]] std::unique_ptr<SQLite::Database> migrated_copy(SQLite::Database& database);

}  // namespace yardstick::harness
