// What goes when rows are deleted, by `yardstick forget` or with plain SQL in whatever program, and
// databases of the first schema brought forward.
#include "harness/store/forget.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/store.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/schema_1.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;
using test::query;
using testing::HasSubstr;
using yardstick::test::error_message;
using yardstick::test::TemporaryFolder;

const Warn kNoWarning = [](const std::string&) {};

/// Two models, two tasks and four cells of two samples, each with two position losses and a metric.
/// Suite s shows all four; suite t shows cell 1 alone, under another name.
constexpr const char* kRows = R"sql(
INSERT INTO run VALUES (1, 's', 'then', 'later', 'yardstick run', '1', 'cpu', 'host', '{}');
INSERT INTO model (id, fingerprint, architecture, encoding, parameters, weight_dtype,
  training_length, position_plan, tokenizer, bos) VALUES (1, 'ma', 'llama', 'rope', 1, 'F32', 64, '{}', 'bytes', 'none'),
                         (2, 'mb', 'llama', 'rope', 1, 'F32', 64, '{}', 'bytes', 'none');
INSERT INTO task VALUES (1, 'ta', 'passkey', 'p', '{}', 'accuracy', 'higher'),
                        (2, 'tb', 'perplexity', 'p', '{}', 'perplexity', 'lower');
INSERT INTO cell (id, key, model_id, task_id, length, seed, dtype, status, run_id) VALUES
  (1, 'k1', 1, 1, 64, 0, 'float32', 'ok', 1), (2, 'k2', 1, 2, 64, 0, 'float32', 'failed', 1),
  (3, 'k3', 2, 1, 64, 0, 'float32', 'ok', 1), (4, 'k4', 2, 2, 64, 0, 'float32', 'ok', 1);
INSERT INTO suite_cell VALUES ('s', 'a', 'key', 1, 0), ('s', 'a', 'ppl', 2, 1), ('s', 'b', 'key', 3, 2),
                              ('s', 'b', 'ppl', 4, 3), ('t', 'other', 'key', 1, 0);
INSERT INTO sample SELECT id, 'x', 'd', 'ok', '', '{}', '{}' FROM cell;
INSERT INTO sample SELECT id, 'y', 'd', 'ok', '', '{}', '{}' FROM cell;
INSERT INTO sample_position_loss SELECT cell_id, sample_id, 0, 3, 1, 4 FROM sample;
INSERT INTO sample_position_loss SELECT cell_id, sample_id, 4, 7, 1, 4 FROM sample;
INSERT INTO metric (cell_id, name, position, value, n) SELECT id, 'accuracy', 0, 0.5, 2 FROM cell;
)sql";

void fill(const fs::path& file) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(kRows);
}

void make_current(const fs::path& file) {
  static_cast<void>(Store(file, Access::kReadWrite, kNoWarning));
  fill(file);
}

/// As the first release left one: its tables, and the mode of its journal.
void make_first(const fs::path& file) {
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("PRAGMA journal_mode = wal");
    database.exec(yardstick::test::kSchema1);
    database.exec("PRAGMA user_version = 1");
  }
  fill(file);
}

/// Rows of suite_cell, sample, sample_position_loss, metric, cell, model, task.
std::string counts(const fs::path& file) {
  return query(file,
               "SELECT (SELECT count(*) FROM suite_cell), (SELECT count(*) FROM sample), "
               "(SELECT count(*) FROM sample_position_loss), (SELECT count(*) FROM metric), "
               "(SELECT count(*) FROM cell), (SELECT count(*) FROM model), "
               "(SELECT count(*) FROM task)");
}

constexpr const char* kAll = "5|8|16|4|4|2|2\n";

void delete_rows(const fs::path& file, const std::string& keys, const std::string& sql) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec("PRAGMA foreign_keys = " + keys);
  database.exec(sql);
}

TEST(PlainSql, ADeletedRowTakesWithItWhatBelongsToItWithForeignKeysOrWithout) {
  for (const char* keys : {"OFF", "ON"}) {
    const TemporaryFolder folder;
    const fs::path file = folder / "r.db";
    make_current(file);
    EXPECT_EQ(counts(file), kAll);
    delete_rows(file, keys, "DELETE FROM sample WHERE cell_id = 3 AND sample_id = 'x'");
    EXPECT_EQ(counts(file), "5|7|14|4|4|2|2\n") << keys;
    delete_rows(file, keys, "DELETE FROM cell WHERE id = 1");
    EXPECT_EQ(counts(file), "3|5|10|3|3|2|2\n") << keys;
    delete_rows(file, keys, "DELETE FROM run");
    EXPECT_EQ(query(file, "SELECT count(*) FROM cell WHERE run_id IS NULL"), "3\n") << keys;
    delete_rows(file, keys, "DELETE FROM model WHERE id = 2");
    EXPECT_EQ(counts(file), "1|2|4|1|1|1|2\n") << keys;
    delete_rows(file, keys, "DELETE FROM task WHERE kind = 'perplexity'");
    EXPECT_EQ(counts(file), "0|0|0|0|0|1|1\n") << keys;
    EXPECT_EQ(query(file, "PRAGMA foreign_key_check"), "") << keys;
  }
}

TEST(PlainSql, TheSqliteProgramDeletesACellInWholeToo) {
  if (std::system("command -v sqlite3 >/dev/null") != 0)
    GTEST_SKIP() << "the program sqlite3 is not installed";
  const TemporaryFolder folder;
  make_current(folder / "r.db");
  const std::string command = fmt::format(
      "sqlite3 '{}' \"DELETE FROM cell WHERE status = 'failed'\"", (folder / "r.db").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(counts(folder / "r.db"), "4|6|12|3|3|2|2\n");
}

TEST(Forget, APreviewChangesNothing) {
  const TemporaryFolder folder;
  make_current(folder / "r.db");
  const Forgotten found = preview_forget(folder / "r.db", {.models = {"b"}}, kNoWarning);
  ASSERT_EQ(found.lines.size(), 2U);
  EXPECT_EQ(found.lines[0].task, "key");
  EXPECT_EQ(found.lines[0].samples, 2);
  EXPECT_EQ(found.lines[1].status, "ok");
  EXPECT_EQ(found.cells, 2);
  EXPECT_EQ(found.samples, 4);
  EXPECT_EQ(counts(folder / "r.db"), kAll);
}

TEST(Forget, TakesCellsAndTheModelsAndTasksThatHaveNoneLeft) {
  const TemporaryFolder folder;
  make_current(folder / "r.db");
  EXPECT_EQ(forget(folder / "r.db", {.models = {"b"}}, kNoWarning).cells, 2);
  EXPECT_EQ(counts(folder / "r.db"), "3|4|8|2|2|1|2\n");
  EXPECT_EQ(forget(folder / "r.db", {.statuses = {"failed"}}, kNoWarning).cells, 1);
  EXPECT_EQ(counts(folder / "r.db"), "2|2|4|1|1|1|1\n");
  EXPECT_EQ(query(folder / "r.db", "PRAGMA foreign_key_check"), "");
  EXPECT_EQ(query(folder / "r.db", "PRAGMA journal_mode"), "delete\n");
}

TEST(Forget, ACellThatIsShownElsewhereStays) {
  const TemporaryFolder folder;
  make_current(folder / "r.db");
  const Forgotten gone =
      forget(folder / "r.db", {.suites = {"s"}, .models = {"a"}, .tasks = {"key"}}, kNoWarning);
  EXPECT_EQ(gone.cells, 0);
  EXPECT_EQ(gone.kept, 1);
  EXPECT_EQ(counts(folder / "r.db"), "4|8|16|4|4|2|2\n");
  EXPECT_EQ(forget(folder / "r.db", {.suites = {"t"}}, kNoWarning).cells, 1) << "its last place";
  EXPECT_EQ(counts(folder / "r.db"), "3|6|12|3|3|2|2\n");
}

TEST(Forget, ANameThatIsNotThereIsAnErrorWithTheNearest) {
  const TemporaryFolder folder;
  make_current(folder / "r.db");
  EXPECT_THAT(error_message([&] { forget(folder / "r.db", {.models = {"othr"}}, kNoWarning); }),
              HasSubstr("shows no model 'othr' (did you mean 'other'?); it has: a, b, other"));
  EXPECT_TRUE(
      preview_forget(folder / "r.db", {.models = {"a"}, .statuses = {"skipped"}}, kNoWarning)
          .lines.empty());
}

TEST(FirstSchema, AReaderSeesItInTheNewOneAndLeavesItAsItWas) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.db";
  make_first(file);
  EXPECT_EQ(Store(file, Access::kReadOnly, kNoWarning).headlines("s").size(), 4U);
  EXPECT_EQ(query(file, "PRAGMA user_version"), "1\n");
  EXPECT_EQ(query(file, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"), "0\n");
}

TEST(FirstSchema, AWriterBringsItForwardAndNothingIsLost) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.db";
  make_first(file);
  const std::string before = test::database_text(file);
  static_cast<void>(Store(file, Access::kReadWrite, kNoWarning));
  EXPECT_EQ(query(file, "PRAGMA user_version"), "2\n");
  EXPECT_EQ(test::database_text(file), before);
  make_current(folder / "new.db");
  const char* const triggers =
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name";
  EXPECT_EQ(query(file, triggers), query(folder / "new.db", triggers));
  delete_rows(file, "OFF", "DELETE FROM cell WHERE id = 1");
  EXPECT_EQ(counts(file), "3|6|12|3|3|2|2\n");
}

// sqlite3 deletes without foreign keys; what stayed behind would belong to the next cell of that
// id.
TEST(FirstSchema, WhatADeletedCellLeftBehindGoes) {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.db";
  make_first(file);
  delete_rows(file, "OFF", "DELETE FROM cell WHERE id = 1");
  static_cast<void>(Store(file, Access::kReadWrite, kNoWarning));
  EXPECT_EQ(counts(file), "3|6|12|3|3|2|2\n");
  EXPECT_EQ(query(file, "PRAGMA foreign_key_check"), "");
}

TEST(FirstSchema, ForgetWorksOnIt) {
  const TemporaryFolder folder;
  make_first(folder / "r.db");
  EXPECT_EQ(preview_forget(folder / "r.db", {.models = {"b"}}, kNoWarning).cells, 2);
  EXPECT_EQ(forget(folder / "r.db", {.models = {"b"}}, kNoWarning).cells, 2);
  EXPECT_EQ(counts(folder / "r.db"), "3|4|8|2|2|1|2\n");
}

}  // namespace
}  // namespace yardstick::harness
