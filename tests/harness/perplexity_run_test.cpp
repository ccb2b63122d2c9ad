// Perplexity through the whole of a run, with a model that answers from arithmetic.
#include <atomic>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using test::FakeModels;
using test::FakeSuite;
using test::query;

class PerplexityRun : public testing::Test {
 protected:
  /// Runs one task with `model` and gives the database.
  std::filesystem::path run(const std::string& model, const std::string& task,
                            std::int64_t length) {
    FakeSuite fake;
    fake.models = {model};
    fake.tasks = {{"t", task}};
    fake.lengths = {length};
    Suite suite = fake.make();
    suite.tasks[0].definition.base = folder_.path();
    const OpenedSuite opened = open_suite(std::move(suite), FakeModels(events_), tasks::make_task);
    RunSettings settings;
    settings.database = folder_ / "r.db";
    settings.run = {"fakes", "yardstick run", "0", "cpu", "{}"};
    settings.chunk = chunk_limits(opened.suite);
    settings.stop = &stop_;
    settings.warn = [](const std::string&) {};
    EXPECT_EQ(run_suite(opened, make_plan(opened), settings).left, 0);
    return settings.database;
  }

  yardstick::test::TemporaryFolder folder_;
  test::EngineEvents events_;
  std::atomic<bool> stop_{false};
};

TEST_F(PerplexityRun, B20DocumentsThatWereSkippedAreAMetricOfTheCell) {
  write_file_atomically(folder_ / "a.jsonl",
                        "{\"text\": \"abcdefgh\"}\n{\"text\": \"\"}\n{\"text\": \"x\"}\n");
  const auto database = run("a", "{kind: perplexity, protocol: lm-eval, data: a.jsonl}", 4);
  const auto value = [&](const std::string& name) {
    return query(database, fmt::format("SELECT value FROM results WHERE metric = '{}'", name));
  };
  EXPECT_EQ(value("documents_skipped"), "2.0\n");
  EXPECT_EQ(value("tokens_skipped"), "1.0\n");
  EXPECT_EQ(value("tokens_scored"), "7.0\n") << "the byte tokens have no prefix";
}

// A window of L inputs has a token more, which is a target and takes no position.
TEST_F(PerplexityRun, AWindowOfAsManyInputsAsThereArePositionsIsAsked) {
  write_file_atomically(folder_ / "a.txt", std::string(350, 'x'));
  const auto database = run("learned", "{kind: perplexity, protocol: lm-eval, data: a.txt}", 100);
  EXPECT_EQ(query(database, "SELECT value FROM results WHERE metric = 'tokens_scored'"), "349.0\n");
}

}  // namespace
}  // namespace yardstick::harness
