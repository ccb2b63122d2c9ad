#include "harness/store/store.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/headline_table.hpp"
#include "harness/store/run_lock.hpp"
#include "harness/store/schema.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/schema_1.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using test::query;
using testing::HasSubstr;
using yardstick::test::error_message;
using yardstick::test::TemporaryFolder;

const Warn kNoWarning = [](const std::string&) {};

Store open(const std::filesystem::path& file, Access access = Access::kReadWrite) {
  return Store(file, access, kNoWarning);
}

SuiteRecord one_cell() {
  SuiteRecord record;
  record.run = {"s", "yardstick run", "0.1.0", "fake", "{}"};
  record.models = {{"m", "llama", "rope", 10, "F32", std::nullopt, "{}", "none", "none"}};
  record.tasks = {
      {"t", "perplexity", "disjoint", "{}", {"perplexity", tasks::Task::Headline::Better::kLower}}};
  record.cells = {{"a", "ppl", {"key", "m", "t", {256, 0.5, ""}, 3, std::nullopt, "float32"}}};
  return record;
}

tasks::SampleScore sample(const std::string& id, double value) {
  tasks::SampleScore score;
  score.sample_id = id;
  score.document_id = "d";
  score.values = {{"sum_nll", value}, {"tokens", 12}};
  score.details = {{"text", "caf\xC3\xA9"}};
  score.position_losses = {{0, 15, value / 3, 16}, {16, 31, 0.1, 16}};
  return score;
}

TEST(Store, ANewFileHasTheSchemaAndAWriteAheadLog) {
  const TemporaryFolder folder;
  const Store store = open(folder / "r.db");
  EXPECT_EQ(query(folder / "r.db", "PRAGMA user_version"), fmt::format("{}\n", kSchemaVersion));
  EXPECT_EQ(query(folder / "r.db", "PRAGMA journal_mode"),
            network_filesystem(folder.path()).empty() ? "wal\n" : "delete\n");
}

TEST(Store, TheResultsViewHasItsDocumentedColumns) {
  const TemporaryFolder folder;
  static_cast<void>(open(folder / "r.db"));
  EXPECT_EQ(query(folder / "r.db",
                  "SELECT group_concat(name, ', ') FROM "
                  "pragma_table_info('results')"),
            "suite, model, task, metric, length, depth, value, stderr, ci_low, ci_high, n, "
            "status, variant, unit, better, scale\n");
}

TEST(Store, ACellGoesFromPendingToOkWithItsLastChunk) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun begun = store.begin_run(one_cell(), Store::Earlier::kKeep);
  const std::int64_t id = begun.cells.at("key").id;
  EXPECT_EQ(query(folder / "r.db",
                  "SELECT suite, model, task, metric, length, depth, value, "
                  "n, status FROM results"),
            "s|a|ppl||256|0.5||0|pending\n");
  store.add_chunk(id, {{sample("b", 0.1), sample("a", 1e300)}, 0.5});
  EXPECT_EQ(store.sample_ids(id), (std::set<std::string>{"a", "b"}));
  std::vector<tasks::SampleScore> seen;
  store.add_last_chunk(id, {{sample("c", -0.25)}, 0.25}, {"b", "c", "a"}, begun.run_id,
                       [&](const std::vector<tasks::SampleScore>& scores) {
                         seen = scores;
                         return CellEnd{CellStatus::kOk, "", {{"perplexity", 4.5, 0.1, 4, 5, 3}}};
                       });
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].values.at("sum_nll"), 0.1) << "exact, in the planned order";
  EXPECT_EQ(seen[1].values.at("sum_nll"), -0.25);
  EXPECT_EQ(seen[2].values.at("sum_nll"), 1e300);
  EXPECT_FALSE(seen[0].details.contains("text")) << "an end has the category of the details alone";
  EXPECT_EQ(query(folder / "r.db", "SELECT json_extract(details, '$.text') FROM sample LIMIT 1"),
            "caf\xC3\xA9\n");
  EXPECT_EQ(seen[0].position_losses, sample("b", 0.1).position_losses);
  EXPECT_EQ(query(folder / "r.db",
                  "SELECT metric, value, stderr, ci_low, ci_high, n, status "
                  "FROM results"),
            "perplexity|4.5|0.1|4.0|5.0|3|ok\n");
  EXPECT_EQ(query(folder / "r.db", "SELECT seconds FROM cell"), "0.75\n");
  EXPECT_EQ(query(folder / "r.db", "SELECT first, last, count FROM position_loss"),
            "0|15|48\n16|31|48\n");
}

TEST(Store, NumbersThatAreNotFiniteStayApart) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun begun = store.begin_run(one_cell(), Store::Earlier::kKeep);
  tasks::SampleScore bad = sample("a", std::nan(""));
  bad.status = tasks::SampleStatus::kNonFinite;
  bad.position_losses.clear();
  bad.reason = "NaN";
  store.add_last_chunk(begun.cells.at("key").id, {{bad}, 0}, {"a"}, begun.run_id,
                       [&](const std::vector<tasks::SampleScore>& scores) {
                         EXPECT_TRUE(std::isnan(scores[0].values.at("sum_nll")));
                         EXPECT_EQ(scores[0].status, tasks::SampleStatus::kNonFinite);
                         return CellEnd{CellStatus::kOk, "", {{"x", std::nan(""), {}, {}, {}, 0}}};
                       });
  EXPECT_EQ(query(folder / "r.db", "SELECT value IS NULL, stderr IS NULL FROM results"), "1|1\n");
}

TEST(Store, AThrowInsideTheLastChunkKeepsNothingOfIt) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun begun = store.begin_run(one_cell(), Store::Earlier::kKeep);
  const std::int64_t id = begun.cells.at("key").id;
  EXPECT_THROW(store.add_last_chunk(id, {{sample("a", 1)}, 0}, {"a"}, begun.run_id,
                                    [](const std::vector<tasks::SampleScore>&) -> CellEnd {
                                      throw std::runtime_error("aggregate");
                                    }),
               std::runtime_error);
  EXPECT_TRUE(store.sample_ids(id).empty());
  EXPECT_EQ(query(folder / "r.db", "SELECT status FROM cell"), "pending\n");
}

TEST(Store, ARunOpensFailedCellsAgainAndKeepsTheirSamples) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun first = store.begin_run(one_cell(), Store::Earlier::kKeep);
  const std::int64_t id = first.cells.at("key").id;
  store.add_chunk(id, {{sample("a", 1)}, 0});
  store.end_cell(id, {CellStatus::kFailed, "out of memory", {}}, first.run_id);
  EXPECT_EQ(store.find_cells({"key", "other"}).at("key").message, "out of memory");
  const Store::Begun second = store.begin_run(one_cell(), Store::Earlier::kKeep);
  EXPECT_EQ(second.cells.at("key").status, CellStatus::kPending);
  EXPECT_EQ(store.sample_ids(id).size(), 1U);
  static_cast<void>(store.begin_run(one_cell(), Store::Earlier::kDelete));
  EXPECT_TRUE(store.sample_ids(id).empty());
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM sample_position_loss"), "0\n");
}

TEST(Store, WhatASuiteShowedStaysInViewUnlessItIsPruned) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const auto shown = [&] { return query(folder / "r.db", "SELECT model FROM results"); };
  SuiteRecord record = one_cell();
  const std::string first = record.cells[0].model;
  static_cast<void>(store.begin_run(record, Store::Earlier::kKeep));
  record.cells[0].cell.key = "another";
  record.cells[0].model = "second";
  const SuiteChange behind = store.begin_run(record, Store::Earlier::kKeep).change;
  EXPECT_EQ(shown(), "second\n" + first + "\n") << "a file's own cells come first";
  ASSERT_EQ(behind.kept.size(), 1U);
  EXPECT_EQ(behind.kept[0].model, first);
  EXPECT_TRUE(behind.replaced.empty() && behind.pruned.empty());

  record.cells[0].cell.key = "third";
  record.cells[0].model = "third";
  record.earlier_cells = EarlierCells::kInFront;
  EXPECT_EQ(store.begin_run(record, Store::Earlier::kKeep).change.kept.size(), 2U);
  EXPECT_EQ(shown(), "second\n" + first + "\nthird\n") << "the command line adds";

  record.earlier_cells = EarlierCells::kPruned;
  EXPECT_EQ(store.begin_run(record, Store::Earlier::kKeep).change.pruned.size(), 2U);
  EXPECT_EQ(shown(), "third\n");
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM cell"), "3\n") << "nothing is lost";
  EXPECT_EQ(store.runs().size(), 4U);
}

TEST(Store, ACellWithOtherSettingsTakesThePlaceOfTheOneUnderItsNames) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  SuiteRecord record = one_cell();
  static_cast<void>(store.begin_run(record, Store::Earlier::kKeep));
  record.cells[0].cell.key = "with another seed";
  const SuiteChange change = store.begin_run(record, Store::Earlier::kKeep).change;
  EXPECT_EQ(change.replaced.size(), 1U);
  EXPECT_TRUE(change.kept.empty());
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM results"), "1\n");
}

TEST(Store, ForeignFilesAreRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  {
    SQLite::Database other((folder / "other.db").string(),
                           SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE run (id INTEGER)");
  }
  EXPECT_THAT(error_message([&] { static_cast<void>(open(folder / "other.db")); }),
              HasSubstr("not one of Yardstick"));
  EXPECT_EQ(query(folder / "other.db", "SELECT count(*) FROM sqlite_master"), "1\n");
  std::ofstream(folder / "text.db") << std::string(5000, 'x');
  EXPECT_THAT(error_message([&] { static_cast<void>(open(folder / "text.db")); }),
              HasSubstr("not an SQLite database"));
  EXPECT_THAT(
      error_message([&] { static_cast<void>(open(folder / "none.db", Access::kReadOnly)); }),
      HasSubstr("there is no such results database"));
}

TEST(Store, WhatAKilledCreationLeavesIsBlankAndBecomesADatabase) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_blank(folder / "r.db"));
  std::ofstream(folder / "r.db").close();
  EXPECT_TRUE(is_blank(folder / "r.db"));
  {
    SQLite::Database journal_only((folder / "r.db").string(), SQLite::OPEN_READWRITE);
    static_cast<void>(journal_only.execAndGet("PRAGMA journal_mode = wal"));
  }
  EXPECT_TRUE(is_blank(folder / "r.db"));
  EXPECT_GT(std::filesystem::file_size(folder / "r.db"), 0U);
  static_cast<void>(open(folder / "r.db"));
  EXPECT_FALSE(is_blank(folder / "r.db"));
}

TEST(Store, ANewerSchemaIsRefused) {
  const TemporaryFolder folder;
  static_cast<void>(open(folder / "r.db"));
  {
    SQLite::Database database((folder / "r.db").string(), SQLite::OPEN_READWRITE);
    database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion + 1));
  }
  EXPECT_THAT(error_message([&] { static_cast<void>(open(folder / "r.db")); }),
              HasSubstr(fmt::format("newer Yardstick (schema version {}, this program knows {})",
                                    kSchemaVersion + 1, kSchemaVersion)));
}

TEST(Store, TheFirstSchemaIsBroughtForward) {
  const TemporaryFolder folder;
  {
    SQLite::Database database((folder / "r.db").string(),
                              SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(yardstick::test::kSchema1);
    database.exec("PRAGMA user_version = 1");
    database.exec(
        "INSERT INTO model VALUES (1, 'f', 'llama', 'rope', 1, 'F32', 512, '{}', '', '');"
        "INSERT INTO task VALUES (1, 't', 'generate_until', 'p', "
        "'{\"metric_list\": [{\"metric\": \"exact_match\"}, {\"metric\": \"number\", "
        "\"higher_is_better\": false}, {\"metric\": \"f1\", \"aggregation\": \"sum\"}]}', "
        "'exact_match,strict', 'higher'),"
        "(2, 'u', 'perplexity', 'p', '{}', 'mine', 'lower');"
        "INSERT INTO cell VALUES (1, 'k', 1, 1, 512, NULL, '10 keys', 0, NULL, 'float32', 'ok', "
        "'', "
        "NULL, NULL, 1, 1, 1, NULL), (2, 'l', 1, 2, 512, NULL, '', 0, NULL, 'float32', 'ok', '', "
        "NULL, NULL, 1, 1, 1, NULL);"
        "INSERT INTO suite_cell VALUES ('s', 'm', 'g', 1, 0), ('s', 'm', 'p', 2, 1);"
        "INSERT INTO metric(cell_id, name, position, value, n) VALUES "
        "(1, 'exact_match,strict', 0, 0.5, 3), (1, 'number,strict', 1, 0.5, 3), "
        "(1, 'f1,strict', 2, 1.5, 3), (1, 'bleu', 3, 30, 3), (1, 'acc/law', 4, 0.5, 3), "
        "(2, 'longppl', 0, 4.5, 3), (2, 'mine', 1, 4.5, 3), (2, 'margin', 2, 1, 3)");
  }
  const std::string sql = "SELECT variant, metric, value, unit, better, scale FROM results";
  const std::string forward =
      "10 keys|exact_match,strict|0.5|share|higher|linear\n"
      "10 keys|number,strict|0.5|share|lower|linear\n"
      "10 keys|f1,strict|1.5|number|higher|linear\n"
      "10 keys|bleu|30.0|points|higher|linear\n"
      "10 keys|acc/law|0.5|share|higher|linear\n"
      "|longppl|4.5|perplexity|lower|logarithmic\n"
      "|mine|4.5|number|lower|linear\n"
      "|margin|1.0|nats|higher|linear\n";
  EXPECT_EQ(open(folder / "r.db", Access::kReadOnly).headlines("s").size(), 2U);
  EXPECT_EQ(query(folder / "r.db", "PRAGMA user_version"), "1\n") << "a reader changes nothing";
  static_cast<void>(open(folder / "r.db"));
  EXPECT_EQ(query(folder / "r.db", sql), forward);
  static_cast<void>(open(folder / "fresh.db"));
  const std::string columns =
      "SELECT m.name, p.name, p.type, p.\"notnull\", p.dflt_value, p.pk FROM sqlite_master m, "
      "pragma_table_info(m.name) p ORDER BY m.name, p.cid";
  EXPECT_EQ(query(folder / "r.db", columns), query(folder / "fresh.db", columns));
}

TEST(Store, AMetricKeepsWhatItsTaskSaysOfIt) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun begun = store.begin_run(one_cell(), Store::Earlier::kKeep);
  tasks::MetricValue metric{.name = "longppl", .value = 4.5, .n = 3};
  metric.meaning = tasks::kPerplexityMeaning;
  store.end_cell(begun.cells.at("key").id, {CellStatus::kOk, "", {metric}}, begun.run_id);
  EXPECT_EQ(query(folder / "r.db", "SELECT metric, unit, better, scale FROM results"),
            "longppl|perplexity|lower|logarithmic\n");
}

TEST(Store, AFullDiskIsOneClearErrorAndNothingIsLost) {
  const TemporaryFolder folder;
  Store store = open(folder / "r.db");
  const Store::Begun begun = store.begin_run(one_cell(), Store::Earlier::kKeep);
  const std::int64_t id = begun.cells.at("key").id;
  store.add_chunk(id, {{sample("a", 1)}, 0});
  SQLite::Exception full("database or disk is full", 13);  // SQLITE_FULL
  const std::string message = error_message([&] { throw_store_error("r.db", full); });
  EXPECT_THAT(message, HasSubstr("r.db: database or disk is full"));
  EXPECT_THAT(message, HasSubstr("free some space and run the same command again"));
  EXPECT_EQ(store.sample_ids(id).size(), 1U);
}

TEST(RunLock, ASecondWriterIsToldWhoTheFirstIs) {
  const TemporaryFolder folder;
  const std::filesystem::path database = folder / "sub/r.db";
  {
    const RunLock lock(database);
    const pid_t child = ::fork();
    if (child == 0) {
      std::string message;
      try {
        const RunLock second(database);
      } catch (const Error& error) {
        message = error.what();
      }
      const std::string holder = fmt::format("(pid {} on host {})", ::getppid(), host_name());
      ::_exit(message.find(holder) == std::string::npos ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "sub/r.db.lock"));
  EXPECT_NO_THROW(const RunLock again(database));
}

TEST(Filesystem, NetworkFileSystemsAreKnownByTheirNumbers) {
  // Magic numbers of the manual page statfs(2).
  EXPECT_EQ(network_filesystem_name(0x6969), "NFS");
  EXPECT_EQ(network_filesystem_name(static_cast<int>(0xFE534D42)), "SMB2") << "sign-extended";
  EXPECT_EQ(network_filesystem_name(0x65735546), "FUSE");
  EXPECT_EQ(network_filesystem_name(0xEF53), "") << "ext4 is local";
}

TEST(HeadlineTable, ModelsByLengthsWithTheReasonsBelow) {
  std::vector<HeadlineRow> rows(5);
  rows[0] = {"a", "ppl", "perplexity", 512, {}, "", 4.5, 24, "ok", ""};
  rows[1] = {"a", "ppl", "perplexity", 1024, {}, "", 1e40, 12, "ok", ""};
  rows[2] = {"b", "ppl", "perplexity", 1024, {}, "", {}, 0, "failed", "out of memory"};
  rows[3] = {"a", "key", "accuracy", 512, 0.0, "", 1.0, 10, "ok", ""};
  rows[4] = {"a", "key", "accuracy", 512, 1.0, "", 0.5, 30, "ok", ""};
  EXPECT_EQ(format_headlines(rows),
            "ppl (perplexity, n = 12 to 24)\n"
            "  model        512        1k\n"
            "  a          4.500     >1e30\n"
            "  b                     fail\n"
            "\n"
            "key (accuracy, n = 40)\n"
            "  model        512\n"
            "  a          0.625\n"
            "\n"
            "failed: b/ppl 1k: out of memory\n");
}

TEST(HeadlineTable, SaysWhereADepthIsMissing) {
  std::vector<HeadlineRow> rows(2);
  rows[0] = {"a", "key", "accuracy", 512, 0.0, "10 keys", 1.0, 10, "ok", ""};
  rows[1] = {"a", "key", "accuracy", 512, 1.0, "10 keys", {}, 0, "pending", ""};
  EXPECT_EQ(format_headlines(rows),
            "key 10 keys (accuracy, n = 10)\n"
            "  model        512\n"
            "  a         1.000*\n"
            "  * without the depths that have no number\n"
            "\n");
}

}  // namespace
}  // namespace yardstick::harness
