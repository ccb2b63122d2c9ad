// Files that are overwritten, replaced or removed while a run goes on: no value is stored under a
// key of other bytes.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "core/random.hpp"
#include "harness/plan/chunks.hpp"
#include "harness/scheduler/run_suite.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;
using test::query;
using testing::HasSubstr;
using yardstick::test::TemporaryFolder;

/// Clocks of file systems tick every few milliseconds.
void wait_for_another_time() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

void write_in_place(const fs::path& file, std::int64_t at, char byte) {
  wait_for_another_time();
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(at);
  out.put(byte);
}

TEST(ChangedFiles, ChunksAfterTheChangeAreNotStoredAndTheirCellsFail) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "weights", "before");
  test::EngineEvents events;
  events.files = {stamp_file(folder / "weights")};
  const test::FakeModels source(events);
  test::FakeSuite suite;
  suite.models = {"a"};
  const OpenedSuite opened = open_suite(suite.make(), source, test::make_fake_task);
  RunSettings settings;
  settings.database = folder / "r.db";
  settings.run = {"fakes", "yardstick run", "0.1.0", "fake", "{}"};
  settings.chunk = {1, 1'000'000};
  settings.warn = [](const std::string&) {};
  events.before_answer = [&](int call, auto) {
    if (call == 6) write_in_place(folder / "weights", 0, 'x');
  };
  const RunResult result = run_suite(opened, make_plan(opened), settings);
  EXPECT_EQ(result.computed, (CellCounts{0, 3, 0}));
  EXPECT_EQ(events.calls, 6) << "no time is lost on what cannot be stored";
  EXPECT_LE(std::stoi(query(folder / "r.db", "SELECT count(*) FROM sample")), 15)
      << "the chunk in which it changed, and those that waited to be written, are dropped";
  EXPECT_EQ(query(folder / "r.db", "SELECT count(*) FROM metric"), "0\n");
  EXPECT_THAT(query(folder / "r.db", "SELECT DISTINCT message FROM cell"),
              HasSubstr("weights: was written to (6 bytes as before, at another time) after it was "
                        "hashed as the model 'a'"));
}

class RealModels : public testing::Test {
 protected:
  RealModels() {
    ::setenv("YARDSTICK_BACKEND", YARDSTICK_TEST_BACKEND, 1);
    Random random(2, "ids");
    std::string ids = "[10";
    for (int i = 1; i < 1500; ++i) ids += "," + std::to_string(10 + random.below(200));
    write_file_atomically(folder_ / "ids.json", ids + "]");
    for (const char* name : {"rope", "alibi"})
      fs::copy(fmt::format("configs/models/tiny-{}", name), folder_ / name);
    write_file_atomically(
        folder_ / "suite.yaml",
        "name: changed\n"
        "models: [{name: rope, path: rope}, {name: alibi, path: alibi}]\n"
        "lengths: [64, 128]\n"
        "devices: ['cpu:1']\n"
        "batch_tokens: 256\n"
        "tasks: [{name: ppl, kind: perplexity, protocol: disjoint, data: ids.json}]\n");
    settings_.database = folder_ / "r.db";
    settings_.run = {"changed", "yardstick run", "0", "cpu", "{}"};
    settings_.warn = [](const std::string&) {};
  }

  /// A run in which `event` happens between hashing and loading.
  RunResult run(const std::function<void()>& event) {
    const OpenedSuite opened =
        open_suite(read_suite(folder_ / "suite.yaml", {}), FolderModels(), tasks::make_task);
    settings_.chunk = chunk_limits(opened.suite);
    event();
    return run_suite(opened, make_plan(opened), settings_);
  }

  std::string results(const std::string& model) {
    return query(folder_ / "r.db",
                 fmt::format("SELECT length, value, status FROM results WHERE model "
                             "= '{}' AND metric = 'perplexity'",
                             model));
  }
  std::string messages() {
    return query(folder_ / "r.db",
                 "SELECT s.model, c.message FROM suite_cell s JOIN cell c ON c.id = s.cell_id "
                 "WHERE c.status = 'failed' ORDER BY s.position");
  }

  TemporaryFolder folder_;
  RunSettings settings_;
};

TEST_F(RealModels, WeightsOverwrittenInPlaceFailTheirModelAlone) {
  const fs::path weights = folder_ / "rope/model.safetensors";
  const auto middle = static_cast<std::int64_t>(fs::file_size(weights) / 2);
  const RunResult result = run([&] { write_in_place(weights, middle, '\x41'); });
  EXPECT_EQ(result.computed, (CellCounts{2, 2, 0}));
  EXPECT_THAT(messages(), HasSubstr("rope/model.safetensors: was written to"));
  EXPECT_THAT(messages(), HasSubstr("after it was hashed as the model 'rope'"));
  EXPECT_EQ(query(folder_ / "r.db",
                  "SELECT count(*) FROM sample x JOIN suite_cell s ON s.cell_id = "
                  "x.cell_id WHERE s.model = 'rope'"),
            "0\n");
  EXPECT_NE(results("alibi"), "");
  // The same command again, now that nothing writes: other bytes, another key, and its own values.
  EXPECT_EQ(run([] {}).computed, (CellCounts{2, 0, 0}));
  const TemporaryFolder other;
  settings_.database = other / "r.db";
  EXPECT_EQ(run([] {}).computed, (CellCounts{4, 0, 0}));
  const std::string fresh = query(other / "r.db", "SELECT model, length, value FROM results");
  EXPECT_EQ(query(folder_ / "r.db", "SELECT model, length, value FROM results"), fresh);
}

TEST_F(RealModels, SettingsAndTokenizersCountToo) {
  for (const char* name : {"config.json", "tokenizer.json", "tokenizer_config.json"}) {
    const fs::path file = folder_ / "alibi" / name;
    settings_.database = folder_ / (std::string(name) + ".db");
    const RunResult result = run([&] {
      wait_for_another_time();
      write_file_atomically(file, read_file(file));  // as rsync does
    });
    EXPECT_EQ(result.computed, (CellCounts{2, 2, 0})) << name;
    EXPECT_THAT(query(settings_.database, "SELECT message FROM cell WHERE status = 'failed'"),
                HasSubstr(fmt::format("alibi/{}: was replaced by another file", name)));
  }
}

TEST_F(RealModels, DataThatChangeFailTheCellsOfTheirTask) {
  const RunResult result = run([&] { write_in_place(folder_ / "ids.json", 1, '2'); });
  EXPECT_EQ(result.computed, (CellCounts{0, 4, 0}));
  EXPECT_THAT(messages(), HasSubstr("ids.json: was written to"));
  EXPECT_THAT(messages(), HasSubstr("as the data of task 'ppl'"));
  EXPECT_EQ(query(folder_ / "r.db", "SELECT count(*) FROM sample"), "0\n");
}

}  // namespace
}  // namespace yardstick::harness
