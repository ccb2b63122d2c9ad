// A results database as text, without what differs from run to run (times, run numbers).
#pragma once

#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

namespace yardstick::harness::test {

inline std::string query(const std::filesystem::path& file, const std::string& sql) {
  // Writable: a killed program may leave a journal that has to be rolled back before reading.
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 1000);
  SQLite::Statement statement(database, sql);
  std::string text;
  while (statement.executeStep()) {
    for (int i = 0; i < statement.getColumnCount(); ++i)
      text += (i == 0 ? "" : "|") + statement.getColumn(i).getString();
    text += "\n";
  }
  return text;
}

inline std::string database_text(const std::filesystem::path& file) {
  std::string text;
  for (const char* sql :
       {"SELECT fingerprint, encoding FROM model ORDER BY id",
        "SELECT fingerprint, kind, protocol, definition FROM task ORDER BY id",
        "SELECT id, key, model_id, task_id, length, depth, variant, seed, sample_limit, dtype, "
        "status, message, device, planned_samples, tokens, run_id IS NULL, seconds IS NULL, "
        "finished_at IS NULL FROM cell ORDER BY id",
        "SELECT * FROM suite_cell ORDER BY position",
        "SELECT * FROM sample ORDER BY cell_id, sample_id",
        "SELECT * FROM sample_position_loss ORDER BY cell_id, sample_id, first",
        "SELECT cell_id, name, position, value, stderr, ci_low, ci_high, n FROM metric "
        "ORDER BY cell_id, position",
        "SELECT suite, model, task, metric, length, depth, value, n, status FROM results"}) {
    text += query(file, sql) + "--\n";
  }
  return text;
}

}  // namespace yardstick::harness::test
