// Whole runs over fakes: what is recorded, what is skipped, and that a store does not depend on how
// often a run was interrupted or on how many threads did it.
#include "harness/scheduler/run_suite.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "tests/harness/database_text.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

using test::database_text;
using test::EngineEvents;
using test::FakeSuite;
using test::query;
using testing::HasSubstr;

struct Runner {
  EngineEvents events;
  std::atomic<bool> stop{false};
  RunSettings settings;

  explicit Runner(std::filesystem::path database) {
    settings.database = std::move(database);
    settings.run = {"fakes", "yardstick run", "0.1.0", "fake", "{}"};
    settings.chunk = {4, 1'000'000};
    settings.stop = &stop;
    settings.warn = [](const std::string&) {};
  }

  TaskFactory factory = test::make_fake_task;

  RunResult run(const FakeSuite& suite) {
    const test::FakeModels source(events);
    const OpenedSuite opened = open_suite(suite.make(), source, factory);
    return run_suite(opened, make_plan(opened), settings);
  }
};

std::string uninterrupted(const test::FakeSuite& suite) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  static_cast<void>(runner.run(suite));
  return database_text(folder / "r.db");
}

TEST(RunSuite, EveryCellIsComputedOnce) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "deep/r.db");
  const RunResult first = runner.run({});
  EXPECT_EQ(first.computed, (CellCounts{6, 0, 0}));
  EXPECT_EQ(first.left, 0);
  EXPECT_EQ(runner.events.requests, 6 * 20 * 2);
  EXPECT_EQ(first.progress.tokens, 2 * 20 * 2 * (16 + 32 + 64));
  EXPECT_EQ(query(folder / "deep/r.db", "SELECT DISTINCT tokens FROM cell WHERE length = 16"),
            "640\n");
  const RunResult second = runner.run({});
  EXPECT_EQ(second.computed, CellCounts{});
  EXPECT_EQ(second.earlier, 6);
  EXPECT_EQ(runner.events.requests, 6 * 20 * 2) << "nothing is computed again";
  EXPECT_EQ(query(folder / "deep/r.db", "SELECT count(*) FROM run WHERE finished_at IS NOT NULL"),
            "2\n");
}

TEST(RunSuite, AModelIsLoadedOnceASlot) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.tasks = {{"t", "samples: 3"}, {"u", "samples: 4"}};
  static_cast<void>(runner.run(suite));
  EXPECT_EQ(runner.events.loads, 2);
}

TEST(RunSuite, SlotsAndWorkersDoNotChangeTheStore) {
  FakeSuite suite;
  suite.models = {"a", "b", "c"};
  suite.tasks = {{"t", "samples: 23"}, {"u", "{samples: 9, skipped: 2, nan: 1}"}};
  const std::string expected = uninterrupted(suite);
  for (int threads = 1; threads <= 4; ++threads) {
    const yardstick::test::TemporaryFolder folder;
    Runner runner(folder / "r.db");
    suite.slots = static_cast<std::size_t>(threads);
    runner.settings.workers = threads;
    runner.settings.chunk.samples = threads * 3;
    const RunResult result = runner.run(suite);
    EXPECT_EQ(result.computed.ok, 18);
    EXPECT_EQ(database_text(folder / "r.db"), expected) << threads << " threads";
  }
}

TEST(RunSuite, AStopAtAnyChunkLeavesAStoreThatResumesToTheSameBytes) {
  const std::string expected = uninterrupted({});
  // 2 models x 3 lengths x 20 samples of 2 requests, in chunks of at least 4 samples.
  int at = 1;
  for (bool is_whole = false; !is_whole; ++at) {
    ASSERT_LE(at, 30);
    const yardstick::test::TemporaryFolder folder;
    Runner runner(folder / "r.db");
    runner.events.before_answer = [&](int call, auto) { runner.stop = call >= at; };
    const RunResult stopped = runner.run({});
    EXPECT_EQ(runner.events.calls, at) << "the chunk in flight is the last";
    EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM sample"),
              fmt::format("{}\n", runner.events.requests / 2));
    is_whole = stopped.left == 0;
    EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM cell WHERE status = 'pending'"),
              fmt::format("{}\n", stopped.left));
    runner.events.before_answer = nullptr;
    runner.stop = false;
    const RunResult resumed = runner.run({});
    EXPECT_EQ(resumed.left, 0);
    EXPECT_EQ(runner.events.requests, 6 * 20 * 2) << "no sample is computed twice, stop at " << at;
    EXPECT_EQ(database_text(folder / "r.db"), expected) << "stop at " << at;
  }
  EXPECT_GT(at, 20);
}

TEST(RunSuite, RequestsThatCannotBeAnsweredFailTheirCellAloneAndTheNextRunMendsIt) {
  const std::string expected = uninterrupted({});
  for (int at = 1; at <= 24; at += 3) {
    const yardstick::test::TemporaryFolder folder;
    Runner runner(folder / "r.db");
    // Chunks hold samples of several cells; those of 32 tokens do not fit any more.
    runner.events.before_answer = [&](int call, std::span<const Request> requests) {
      const bool has_long = std::ranges::any_of(
          requests, [](const Request& request) { return request.tokens.size() == 32; });
      if (call >= at && has_long) throw Error(ErrorKind::kMemory, "no room for 32 tokens");
    };
    const RunResult failed = runner.run({});
    EXPECT_GE(failed.computed.failed, 1);
    EXPECT_LE(failed.computed.failed, 2);
    EXPECT_EQ(failed.computed.ok, 6 - failed.computed.failed);
    EXPECT_EQ(
        query(folder / "r.db", "SELECT DISTINCT length, message FROM cell WHERE status != 'ok'"),
        "32|no room for 32 tokens\n");
    runner.events.before_answer = nullptr;
    EXPECT_EQ(runner.run({}).computed, (CellCounts{failed.computed.failed, 0, 0}));
    EXPECT_EQ(database_text(folder / "r.db"), expected) << "throw at " << at;
  }
}

TEST(RunSuite, ALargeCellIsBuiltInPartsAndGivesTheStoreOfAWholeOne) {
  FakeSuite suite;
  suite.models = {"a"};
  suite.lengths = {8};
  suite.tasks = {{"t", "{samples: 9001, nan: 2, skipped: 3}"}};
  const yardstick::test::TemporaryFolder whole;
  Runner at_once(whole / "r.db");
  at_once.factory = [](const tasks::TaskDefinition& definition) {
    return std::make_unique<test::WholeFakeTask>(definition);
  };
  EXPECT_EQ(at_once.run(suite).computed.ok, 1);
  const std::string expected = database_text(whole / "r.db");
  for (const std::size_t slots : {1U, 3U}) {
    suite.slots = slots;
    const yardstick::test::TemporaryFolder folder;
    Runner runner(folder / "r.db");
    runner.settings.chunk.samples = 64;
    runner.settings.workers = 2;
    // Parts of 4096: the first stop lies in the second part.
    runner.events.before_answer = [&](int call, auto) { runner.stop = call >= 70; };
    EXPECT_EQ(runner.run(suite).left, 1);
    runner.events.before_answer = nullptr;
    runner.stop = false;
    EXPECT_EQ(runner.run(suite).computed.ok, 1);
    EXPECT_EQ(database_text(folder / "r.db"), expected) << slots << " slots";
    EXPECT_EQ(runner.events.requests, 9001 * 2) << "no sample is computed twice";
  }
}

TEST(RunSuite, SharingAcrossCellsDoesNotChangeTheStore) {
  const std::string expected = uninterrupted({});
  const yardstick::test::TemporaryFolder folder;
  Runner alone(folder / "r.db");
  alone.settings.sharing = models::Sharing::kOff;
  const auto most_lengths = [](Runner& runner) {
    std::size_t most = 0;
    runner.events.before_answer = [&](int, std::span<const Request> requests) {
      std::set<std::size_t> lengths;
      for (const Request& request : requests) lengths.insert(request.tokens.size());
      most = std::max(most, lengths.size());
    };
    static_cast<void>(runner.run({}));
    return most;
  };
  EXPECT_EQ(most_lengths(alone), 1U) << "cell by cell";
  EXPECT_EQ(database_text(folder / "r.db"), expected);
  Runner shared(folder / "s.db");
  EXPECT_EQ(most_lengths(shared), 3U) << "the lengths of a sample together";
  EXPECT_EQ(database_text(folder / "s.db"), expected);
}

TEST(RunSuite, TwoSlotsComputeChunksOfOneJobSideBySide) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.models = {"a"};
  suite.slots = 2;
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  bool have_met = false;
  runner.events.before_answer = [&](int, auto) {
    std::unique_lock lock(mutex);
    have_met = have_met || ++inside == 2;
    changed.notify_all();
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return have_met; });
    --inside;
  };
  EXPECT_EQ(runner.run(suite).computed, (CellCounts{3, 0, 0}));
  EXPECT_TRUE(have_met) << "two engines were never asked at the same time";
  EXPECT_EQ(runner.events.loads, 2);
}

TEST(RunSuite, ProgressMovesWithinAChunk) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  runner.settings.chunk.samples = 1000;
  std::vector<double> fractions;
  runner.settings.on_progress = [&](const ProgressState& state) {
    if (runner.events.calls == 1) fractions.push_back(state.fraction);
  };
  FakeSuite suite;
  suite.models = {"a"};
  const RunResult result = runner.run(suite);
  EXPECT_EQ(runner.events.calls, 1);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_GT(std::ranges::count_if(fractions, [](double x) { return x > 0.05 && x < 0.95; }), 20);
  EXPECT_NEAR(result.progress.fraction, 1, 1e-9);
}

TEST(RunSuite, ProgressOfAChunkThatFailsIsTakenBack) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  runner.settings.chunk.samples = 1000;
  FakeSuite suite;
  suite.models = {"a"};
  suite.tasks = {{"t", "{samples: 20, bad: 1, at: 16}"}};
  const RunResult result = runner.run(suite);
  EXPECT_EQ(runner.events.calls, 1 + 3) << "all cells together, then each alone";
  EXPECT_EQ(result.computed, (CellCounts{2, 1, 0}));
  // A cell weighs its length and 64; that of 16 tokens failed.
  EXPECT_NEAR(result.progress.fraction, (128.0 + 96) / (128 + 96 + 80), 1e-9);
}

TEST(RunSuite, BuildingLeavesTheProcessorsToTheSlotsThatCompute) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  runner.settings.workers = 7;
  const auto threads = [] {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  };
  std::set<std::size_t> before;
  std::set<std::size_t> during;
  runner.events.before_load = [&](const models::EngineOptions&) { before.insert(threads()); };
  runner.events.before_answer = [&](int, auto) { during.insert(threads()); };
  FakeSuite suite;
  suite.threads = 3;
  static_cast<void>(runner.run(suite));
  EXPECT_EQ(before, std::set<std::size_t>{7 + 1}) << "and the thread that writes";
  EXPECT_EQ(during, std::set<std::size_t>{7 - 3 + 1});
}

TEST(RunSuite, ACellThatCannotBeBuiltFailsAlone) {
  const yardstick::test::TemporaryFolder folder;
  FakeSuite suite;
  suite.models = {"a"};
  suite.tasks = {{"t", "{samples: 20, fault: build, at: 32}"}};
  Runner runner(folder / "r.db");
  EXPECT_EQ(runner.run(suite).computed, (CellCounts{2, 1, 0}));
  EXPECT_EQ(query(folder / "r.db", "SELECT length, message FROM cell WHERE status = 'failed'"),
            "32|questions.jsonl:7: no key 'answer'\n");
}

TEST(RunSuite, FailuresOfTasksAreTheirCellsOwn) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.models = {"a"};
  suite.lengths = {16};
  suite.tasks = {{"build", "{kind: k1, fault: build}"},
                 {"score", "{kind: k2, fault: score}"},
                 {"engine", "{kind: k3, bad: 1}"},
                 {"fine", "{kind: k4}"}};
  const RunResult result = runner.run(suite);
  EXPECT_EQ(result.computed, (CellCounts{1, 3, 0}));
  EXPECT_EQ(query(folder / "r.db",
                  "SELECT s.task, c.status, c.message FROM suite_cell s JOIN cell c "
                  "ON c.id = s.cell_id ORDER BY s.position"),
            "build|failed|questions.jsonl:7: no key 'answer'\n"
            "score|failed|no regular expression matched\n"
            "engine|failed|token 901 is not for this model\n"
            "fine|ok|\n");
}

TEST(RunSuite, SamplesThatAreNotFiniteAreCountedAndNotAveraged) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.models = {"a"};
  suite.lengths = {16};
  suite.tasks = {{"some", "{samples: 10, nan: 3}"}, {"all", "{samples: 2, nan: 2}"}};
  static_cast<void>(runner.run(suite));
  EXPECT_EQ(query(folder / "r.db", "SELECT task, metric, n, status FROM results"),
            "some|loss|7|ok\nsome|order|7|ok\nall||0|failed\n");
  EXPECT_THAT(query(folder / "r.db", "SELECT message FROM cell"),
              HasSubstr("3 of 10 samples gave no finite numbers (a NaN or infinity"));
  EXPECT_EQ(query(folder / "r.db", "SELECT status, count(*) FROM sample GROUP BY status"),
            "nonfinite|5\nok|7\n");
}

TEST(RunSuite, WhatCannotBeAskedIsSkippedWithItsReason) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.models = {"a", "learned"};
  suite.lengths = {16, 128};
  suite.tasks = {{"short", "{samples: 0, skipped: 2}"}, {"t", "samples: 1"}};
  const RunResult result = runner.run(suite);
  EXPECT_EQ(result.all_failed, 0);
  EXPECT_EQ(result.earlier, 0) << "nothing was stored before";
  EXPECT_EQ(result.computed.skipped, 5);
  EXPECT_EQ(query(folder / "r.db",
                  "SELECT s.model, s.task, c.length, c.status, c.message FROM suite_cell s JOIN "
                  "cell c ON c.id = s.cell_id WHERE c.status != 'ok' ORDER BY s.position"),
            "a|short|16|skipped|2 of 2 samples skipped: the document is shorter than the length\n"
            "a|short|128|skipped|2 of 2 samples skipped: the document is shorter than the length\n"
            "learned|short|16|skipped|2 of 2 samples skipped: the document is shorter than the "
            "length\n"
            "learned|short|128|skipped|n/a: no position beyond 100\n"
            "learned|t|128|skipped|n/a: no position beyond 100\n");
  EXPECT_EQ(runner.run(suite).earlier, 8) << "skipped cells are done";
}

TEST(RunSuite, AModelThatNoSlotCanLoadFailsAloneAndOneSlotIsEnough) {
  FakeSuite suite;
  suite.slots = 2;
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  std::atomic<int> refusals{0};
  runner.events.before_load = [&](const models::EngineOptions&) {
    if (refusals++ == 0) throw Error(ErrorKind::kMemory, "needs 90 GiB");
  };
  EXPECT_EQ(runner.run(suite).computed, (CellCounts{6, 0, 0})) << "the other slot takes over";

  const yardstick::test::TemporaryFolder other;
  Runner hopeless(other / "r.db");
  hopeless.events.before_load = [](const models::EngineOptions&) {
    throw Error(ErrorKind::kMemory, "needs 90 GiB");
  };
  EXPECT_EQ(hopeless.run(suite).computed, (CellCounts{0, 6, 0}));
  EXPECT_THAT(query(other / "r.db", "SELECT DISTINCT message FROM cell"),
              HasSubstr("needs 90 GiB"));
}

TEST(RunSuite, FreshComputesAgainAndGivesTheSameStore) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  static_cast<void>(runner.run({}));
  const std::string before = database_text(folder / "r.db");
  runner.settings.earlier = Store::Earlier::kDelete;
  EXPECT_EQ(runner.run({}).computed, (CellCounts{6, 0, 0}));
  EXPECT_EQ(runner.events.requests, 2 * 6 * 20 * 2);
  EXPECT_EQ(database_text(folder / "r.db"), before);
}

TEST(RunSuite, ALimitIsAnotherCell) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.limit = 3;
  static_cast<void>(runner.run(suite));
  EXPECT_EQ(query(folder / "r.db", "SELECT DISTINCT n FROM results"), "3\n");
  suite.limit.reset();
  static_cast<void>(runner.run(suite));
  EXPECT_EQ(query(folder / "r.db", "SELECT DISTINCT n FROM results"), "20\n");
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM cell"), "12\n");
}

TEST(RunSuite, WhatStaysInViewIsTold) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  std::vector<std::string> said;
  runner.settings.warn = [&](const std::string& line) { said.push_back(line); };
  FakeSuite suite;
  suite.models = {"a"};
  static_cast<void>(runner.run(suite));
  EXPECT_THAT(said, testing::IsEmpty());
  suite.models = {"b"};
  const RunResult second = runner.run(suite);
  EXPECT_EQ(second.all_ok, 3);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("'fakes' still shows 3 cells (a/t)"));
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM results WHERE metric = 'loss'"), "6\n");
  runner.settings.earlier_cells = EarlierCells::kPruned;
  static_cast<void>(runner.run(suite));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said[1], HasSubstr("no longer shows 3 cells (a/t)"));
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM results WHERE metric = 'loss'"), "3\n");
}

TEST(RunSuite, TwoNamesOfOneModelShareTheirCells) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  FakeSuite suite;
  suite.tasks = {{"t", "samples: 4"}, {"same", "samples: 4"}};
  EXPECT_EQ(runner.run(suite).computed.ok, 6);
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM results"), "24\n");
}

TEST(RunSuite, StoredSamplesOfAnotherPlanAreDropped) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  runner.events.before_answer = [&](int call, auto) { runner.stop = call >= 2; };
  static_cast<void>(runner.run({}));
  {
    SQLite::Database database((folder / "r.db").string(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE sample SET sample_id = 'old' || sample_id");
    database.exec("UPDATE sample_position_loss SET sample_id = 'old' || sample_id");
  }
  runner.stop = false;
  runner.events.before_answer = nullptr;
  static_cast<void>(runner.run({}));
  EXPECT_EQ(database_text(folder / "r.db"), uninterrupted({}));
}

TEST(RunSuite, AStoreThatCannotBeWrittenStopsTheRunWithOneError) {
  const yardstick::test::TemporaryFolder folder;
  Runner runner(folder / "r.db");
  static_cast<void>(runner.run({}));
  {
    SQLite::Database database((folder / "r.db").string(), SQLite::OPEN_READWRITE);
    database.exec(
        "CREATE TRIGGER full BEFORE INSERT ON sample WHEN NEW.sample_id = 's3' "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END");
  }
  runner.settings.earlier = Store::Earlier::kDelete;
  const std::string message =
      yardstick::test::error_message([&] { static_cast<void>(runner.run({})); });
  EXPECT_THAT(message, HasSubstr("r.db"));
  EXPECT_THAT(message, HasSubstr("database or disk is full"));
  {
    SQLite::Database database((folder / "r.db").string(), SQLite::OPEN_READWRITE);
    database.exec("DROP TRIGGER full");
  }
  runner.settings.earlier = Store::Earlier::kKeep;
  static_cast<void>(runner.run({}));
  EXPECT_EQ(database_text(folder / "r.db"), uninterrupted({}));
}

}  // namespace
}  // namespace yardstick::harness
