#include "harness/store/migration.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/store/metric_meanings.hpp"
#include "harness/store/schema.hpp"
#include "harness/store/triggers.hpp"

namespace yardstick::harness {
namespace {

int version_of(SQLite::Database& database) {
  return database.execAndGet("PRAGMA user_version").getInt();
}

}  // namespace

void migrate(SQLite::Database& database) {
  if (version_of(database) >= kSchemaVersion) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = version_of(database);  // another program may have been faster
  if (version >= kSchemaVersion) return;
  // Views name the tables that change, so they go first and come back as they are now.
  database.exec("DROP VIEW results; DROP VIEW position_loss");
  if (version < 2) {
    add_metric_meanings(database);
    database.exec("ALTER TABLE model ADD COLUMN generation_ends TEXT NOT NULL DEFAULT ''");
    // What programs without foreign keys left behind: a new cell may get a deleted one's id.
    database.exec(
        "DELETE FROM cell WHERE model_id NOT IN (SELECT id FROM model) "
        "OR task_id NOT IN (SELECT id FROM task);"
        "UPDATE cell SET run_id = NULL WHERE run_id NOT IN (SELECT id FROM run);"
        "DELETE FROM suite_cell WHERE cell_id NOT IN (SELECT id FROM cell);"
        "DELETE FROM metric WHERE cell_id NOT IN (SELECT id FROM cell);"
        "DELETE FROM sample WHERE cell_id NOT IN (SELECT id FROM cell);"
        "DELETE FROM sample_position_loss WHERE (cell_id, sample_id) NOT IN "
        "(SELECT cell_id, sample_id FROM sample)");
    database.exec(kTriggers);
  }
  database.exec(kViews);
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

std::unique_ptr<SQLite::Database> migrated_copy(SQLite::Database& database) {
  // SQLite's name for a temporary file: it holds what memory should not.
  auto copy = std::make_unique<SQLite::Database>("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(*copy, database).executeStep();
  migrate(*copy);
  return copy;
}

}  // namespace yardstick::harness
