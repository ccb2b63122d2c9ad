#include "reports/query.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/demo_store.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/schema_1.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::reports {
namespace {

using testing::HasSubstr;

std::string refusal(const std::filesystem::path& file,
                    const std::optional<std::string>& suite = std::nullopt) {
  return test::error_message([&] { static_cast<void>(read_results(file, suite)); });
}

TEST(Query, ReadsTheSuiteInItsOrder) {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  const Results results = read_results(folder / "demo.db", std::nullopt);
  EXPECT_EQ(results.suite, "demo");
  ASSERT_EQ(results.models.size(), 4U);
  EXPECT_EQ(results.models[1].name, "alibi-60m");
  EXPECT_EQ(results.models[1].training_length, 512);
  ASSERT_EQ(results.tasks.size(), 3U);
  EXPECT_EQ(results.tasks[0].meaning, tasks::kPerplexityMeaning);
  EXPECT_EQ(results.tasks[1].meaning, tasks::kShareMeaning);
  EXPECT_EQ(results.cells.size(), 4U * 7 + 4U * 35 + 4);
  const Cell& cell = results.cells.front();
  ASSERT_NE(cell.find("perplexity"), nullptr);
  EXPECT_EQ(cell.find("perplexity")->n, 24);
  EXPECT_EQ(cell.find("nothing"), nullptr);
  EXPECT_EQ(cell.position_losses.size(), 7U);
  EXPECT_EQ(results.runs.size(), 1U);
}

TEST(Query, RefusesWhatIsNoResultsDatabase) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder / "absent.db"), HasSubstr("no such database"));
  write_file_atomically(folder / "text.db",
                        "this is no database at all, only a line of text that is long enough");
  EXPECT_THAT(refusal(folder / "text.db"), HasSubstr("text.db"));
  {
    SQLite::Database(folder / "other.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE x(y)");
  }
  EXPECT_THAT(refusal(folder / "other.db"), HasSubstr("is not a yardstick results database"));
}

TEST(Query, RefusesANewerSchema) {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  {
    SQLite::Database(folder / "demo.db", SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 999");
  }
  EXPECT_THAT(refusal(folder / "demo.db"), HasSubstr("schema 999"));
}

TEST(Query, AFileOfTheFirstSchemaIsReadAndStaysAsItIs) {
  const test::TemporaryFolder folder;
  {
    SQLite::Database db(folder / "old.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec(test::kSchema1);
    db.exec(
        "PRAGMA user_version = 1;"
        "INSERT INTO model VALUES (1, 'f', 'llama', 'rope', 1, 'F32', 512, '{}', '', '');"
        "INSERT INTO task VALUES (1, 't', 'perplexity', 'longppl', '{}', 'longppl', 'lower');"
        "INSERT INTO cell VALUES (1, 'k', 1, 1, 512, NULL, '', 0, NULL, 'float32', 'ok', '', NULL, "
        "NULL, 1, 1, 1, NULL);"
        "INSERT INTO suite_cell VALUES ('s', 'm', 'ppl', 1, 0);"
        "INSERT INTO metric VALUES (1, 'longppl', 0, 4.5, 0.1, 4, 5, 3);"
        "INSERT INTO metric VALUES (1, 'key_tokens', 1, 99, NULL, NULL, NULL, 3);");
  }
  const std::string before = read_file(folder / "old.db");
  const Results results = read_results(folder / "old.db", std::nullopt);
  EXPECT_EQ(results.tasks[0].meaning, tasks::kPerplexityMeaning);
  EXPECT_EQ(results.cells[0].find("key_tokens")->meaning, tasks::kTokensMeaning);
  EXPECT_EQ(results.cells[0].find("longppl")->value, 4.5);
  EXPECT_EQ(read_file(folder / "old.db"), before);
}

TEST(Query, AnUnknownSuiteIsAnsweredWithTheOnesThereAre) {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  EXPECT_THAT(refusal(folder / "demo.db", "dem"), HasSubstr("did you mean 'demo'?"));
}

TEST(Query, SeveralSuitesNeedAChoice) {
  const test::TemporaryFolder folder;
  test::write_demo_store(folder / "demo.db");
  {
    SQLite::Database(folder / "demo.db", SQLite::OPEN_READWRITE)
        .exec("INSERT INTO suite_cell VALUES ('second', 'm', 't', 1, 1)");
  }
  EXPECT_THAT(refusal(folder / "demo.db"), HasSubstr("demo, second"));
  EXPECT_EQ(read_results(folder / "demo.db", "second").cells.size(), 1U);
}

}  // namespace
}  // namespace yardstick::reports
