// A database and the place where it lies: read where nothing can be written, moved or replaced
// under a run, on a disk that fills up; and what is left beside it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "harness/scheduler/run_suite.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/run_lock.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/harness/fakes.hpp"
#include "tests/support/as_nobody.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::harness {
namespace {

namespace fs = std::filesystem;
using test::database_text;
using test::FakeSuite;
using test::query;
using testing::HasSubstr;
using yardstick::test::error_message;
using yardstick::test::kCannot;
using yardstick::test::LockedFolder;
using yardstick::test::TemporaryFolder;

const Warn kNoWarning = [](const std::string&) {};

/// Two models, three lengths, 20 samples a cell, one sample a chunk.
struct Runner {
  test::EngineEvents events;
  RunSettings settings;

  explicit Runner(fs::path database) {
    settings.database = std::move(database);
    settings.run = {"fakes", "yardstick run", "0.1.0", "fake", "{}"};
    settings.chunk = {1, 1'000'000};
    settings.warn = kNoWarning;
  }

  RunResult run() {
    const test::FakeModels source(events);
    const OpenedSuite opened = open_suite(FakeSuite{}.make(), source, test::make_fake_task);
    return run_suite(opened, make_plan(opened), settings);
  }
};

void finish_run_in(const fs::path& file) {
  Runner runner(file);
  ASSERT_EQ(runner.run().left, 0);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What any reader sees: this program's, and the sqlite3 program where there is one.
bool can_read(const fs::path& file) {
  Store store(file, Access::kReadOnly, kNoWarning);
  const bool has_all = store.runs().size() == 1 && store.headlines("fakes").size() == 6;
  if (std::system("command -v sqlite3 >/dev/null") != 0) return has_all;
  const std::string command = fmt::format(
      "test \"$(sqlite3 -readonly '{}' 'SELECT count(*) FROM results')\" = 12", file.string());
  return has_all && std::system(command.c_str()) == 0;
}

#define YARDSTICK_EXPECT_OR_SKIP(status, expected)                                           \
  do {                                                                                       \
    const int found_status = status;                                                         \
    if (found_status == kCannot) GTEST_SKIP() << "needs root, or a mount: not allowed here"; \
    EXPECT_EQ(found_status, expected);                                                       \
  } while (false)

TEST(StorePlace, AFinishedRunLeavesOneFileThatNeedsNoLog) {
  const TemporaryFolder folder;
  finish_run_in(folder / "r.db");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("r.db"));
  EXPECT_EQ(query(folder / "r.db", "PRAGMA journal_mode"), "delete\n");
}

TEST(StorePlace, AReaderThatClosesLastLeavesOneFileToo) {
  const TemporaryFolder folder;
  auto reader = [&] {
    Store writer(folder / "r.db", Access::kReadWrite, kNoWarning);
    writer.finish_run(1);
    auto made = std::make_unique<Store>(folder / "r.db", Access::kReadOnly, kNoWarning);
    EXPECT_TRUE(made->runs().empty());
    return made;
  }();
  EXPECT_TRUE(fs::exists(folder / "r.db-wal")) << "the writer was not the last";
  reader.reset();
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("r.db"));
  EXPECT_EQ(query(folder / "r.db", "PRAGMA journal_mode"), "delete\n");
}

TEST(StorePlace, EightProgramsThatOpenAndCloseAnAbsentFileMakeOneSoundDatabase) {
  const TemporaryFolder folder;
  for (int round = 0; round < 5; ++round) {
    const fs::path file = folder / fmt::format("{}.db", round);
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        const int status = yardstick::test::status_of([&] {
          Store(file, Access::kReadWrite, kNoWarning).finish_run(1);
          return true;
        });
        ::_exit(status);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(query(file, "PRAGMA integrity_check"), "ok\n");
    EXPECT_EQ(query(file, "SELECT count(*) FROM sqlite_master WHERE type = 'view'"), "2\n");
    EXPECT_EQ(query(file, "PRAGMA journal_mode"), "delete\n");
    EXPECT_FALSE(fs::exists(file.string() + "-wal"));
  }
}

TEST(StorePlace, AReaderChangesNothing) {
  const TemporaryFolder folder;
  finish_run_in(folder / "r.db");
  const std::unique_ptr<SQLite::Database> database = open_to_read(folder / "r.db");
  EXPECT_THROW(database->exec("DELETE FROM cell"), SQLite::Exception);
}

TEST(StorePlace, AFinishedDatabaseIsReadInAFolderWithoutWritePermission) {
  const TemporaryFolder folder;
  finish_run_in(folder / "r.db");
  const LockedFolder locked(folder.path());
  YARDSTICK_EXPECT_OR_SKIP(yardstick::test::as_nobody([&] { return can_read(folder / "r.db"); }),
                           0);
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("r.db"));
}

TEST(StorePlace, AFinishedDatabaseIsReadOnAReadOnlyMedium) {
  const TemporaryFolder folder;
  finish_run_in(folder / "r.db");
  YARDSTICK_EXPECT_OR_SKIP(yardstick::test::on_a_read_only_medium(
                               folder.path(), [&] { return can_read(folder / "r.db"); }),
                           0);
}

TEST(StorePlace, ADatabaseInLogModeIsReadThereIfItsLogIsEmpty) {
  // As the first release left its files, and with characters that an address must escape.
  const TemporaryFolder folder;
  const fs::path file = folder / "50%? #1.db";
  finish_run_in(file);
  EXPECT_EQ(query(file, "PRAGMA journal_mode = wal"), "wal\n");
  std::ofstream(file.string() + "-wal").close();
  const LockedFolder locked(folder.path());
  YARDSTICK_EXPECT_OR_SKIP(yardstick::test::as_nobody([&] {
                             return Store(file, Access::kReadOnly, kNoWarning).runs().size() == 1;
                           }),
                           0);
}

TEST(StorePlace, ALogThatIsNotInTheFileYetIsAnErrorThere) {
  const TemporaryFolder folder;
  const TemporaryFolder copy;
  const fs::path file = folder / "r.db";
  finish_run_in(file);
  {
    SQLite::Database open(file.string(), SQLite::OPEN_READWRITE);
    open.exec("PRAGMA journal_mode = wal; UPDATE run SET command = 'later'");
    fs::copy(file, copy / "r.db");
    fs::copy(file.string() + "-wal", copy / "r.db-wal");
  }
  ASSERT_GT(fs::file_size(copy / "r.db-wal"), 0U);
  auto locked = std::make_unique<const LockedFolder>(copy.path());
  YARDSTICK_EXPECT_OR_SKIP(yardstick::test::as_nobody([&] {
                             const std::string message = error_message(
                                 [&] { Store(copy / "r.db", Access::kReadOnly, kNoWarning); });
                             return message.find("r.db-wal lies beside it") != std::string::npos &&
                                    message.find("copy both files") != std::string::npos;
                           }),
                           0);
  locked.reset();
  EXPECT_EQ(Store(copy / "r.db", Access::kReadOnly, kNoWarning).runs().at(0).command, "later");
}

/// What happens to the database of a run while its fifth chunk is computed.
std::string message_of_run(Runner& runner, const std::function<void()>& event) {
  runner.events.before_answer = [&](int call, auto) {
    if (call == 5) event();
  };
  return error_message([&] { static_cast<void>(runner.run()); });
}

TEST(StorePlace, ADatabaseThatIsMovedAwayEndsTheRunAndIsComplete) {
  const TemporaryFolder folder;
  Runner runner(folder / "r.db");
  EXPECT_THAT(message_of_run(runner, [&] { fs::rename(folder / "r.db", folder / "moved.db"); }),
              HasSubstr("r.db: the database was deleted or moved away while it was being written"));
  EXPECT_FALSE(fs::exists(folder / "r.db"));
  const std::int64_t stored = std::stoll(query(folder / "moved.db", "SELECT count(*) FROM sample"));
  EXPECT_GE(stored, 1) << "what was committed before is in the file that was moved";
  EXPECT_LT(runner.events.calls, 20) << "and the run ended soon";
  fs::remove(folder / "r.db-wal");
  fs::remove(folder / "r.db-shm");
  fs::rename(folder / "moved.db", folder / "r.db");
  runner.events.before_answer = nullptr;
  EXPECT_EQ(runner.run().left, 0);
  const TemporaryFolder other;
  finish_run_in(other / "r.db");
  EXPECT_EQ(database_text(folder / "r.db"), database_text(other / "r.db"));
}

TEST(StorePlace, ADeletedDatabaseEndsTheRun) {
  const TemporaryFolder folder;
  Runner runner(folder / "r.db");
  EXPECT_THAT(message_of_run(runner, [&] { fs::remove(folder / "r.db"); }),
              HasSubstr("was deleted or moved away"));
  EXPECT_FALSE(fs::exists(folder / "r.db.lock"));
}

TEST(StorePlace, NothingIsWrittenIntoAStrangersFile) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  finish_run_in(other / "r.db");
  const std::string stranger = bytes_of(other / "r.db");
  Runner runner(folder / "r.db");
  EXPECT_THAT(message_of_run(runner,
                             [&] {
                               fs::copy(other / "r.db", folder / "new.db");
                               fs::rename(folder / "new.db", folder / "r.db");
                             }),
              HasSubstr("was replaced by another file"));
  EXPECT_EQ(bytes_of(folder / "r.db"), stranger);
}

TEST(StorePlace, ALockOfAnotherIsLeftAlone) {
  const TemporaryFolder folder;
  {
    const RunLock lock(folder / "r.db");
    fs::remove(folder / "r.db.lock");
    std::ofstream(folder / "r.db.lock") << "another's";
  }
  EXPECT_EQ(bytes_of(folder / "r.db.lock"), "another's");
}

TEST(StorePlace, ALockFileThatIsALinkIsRefusedAndItsTargetKept) {
  const TemporaryFolder folder;
  std::ofstream(folder / "precious") << "precious";
  fs::create_symlink(folder / "precious", folder / "r.db.lock");
  EXPECT_THAT(error_message([&] { const RunLock lock(folder / "r.db"); }),
              HasSubstr("r.db.lock: is a link, expected the lock file of r.db"));
  EXPECT_EQ(bytes_of(folder / "precious"), "precious");
}

/// While it lives, no database that is opened grows beyond so many pages: to SQLite, a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(int pages) {
    most_pages = pages;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&limit));
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() { sqlite3_reset_auto_extension(); }

 private:
  static int limit(sqlite3* database, char**, const void*) {
    const std::string sql = fmt::format("PRAGMA max_page_count = {}", most_pages);
    return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  }
  static int most_pages;  // SQLite passes nothing on
};
int SmallDisk::most_pages = 0;

TEST(StorePlace, AFullDiskEndsTheRunWithOneErrorAndTheNextGoesOn) {
  const TemporaryFolder folder;
  finish_run_in(folder / "whole.db");
  static_cast<void>(Store(folder / "empty.db", Access::kReadWrite, kNoWarning));
  const auto pages = [&](const char* name) {
    return std::stoi(query(folder / name, "PRAGMA page_count"));
  };
  const fs::path file = folder / "r.db";
  {
    const SmallDisk disk((pages("empty.db") + pages("whole.db")) / 2);
    Runner runner(file);
    EXPECT_THAT(error_message([&] { static_cast<void>(runner.run()); }),
                testing::AllOf(HasSubstr("r.db: "),
                               HasSubstr("the disk is full: free some space and run")));
  }
  EXPECT_EQ(query(file, "PRAGMA integrity_check"), "ok\n");
  const std::int64_t kept = std::stoll(query(file, "SELECT count(*) FROM sample"));
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 120);
  Runner next(file);
  EXPECT_EQ(next.run().left, 0);
  EXPECT_EQ(next.events.requests, 2 * (120 - kept)) << "what was committed is not computed again";
  EXPECT_EQ(database_text(file), database_text(folder / "whole.db"));
}

}  // namespace
}  // namespace yardstick::harness
