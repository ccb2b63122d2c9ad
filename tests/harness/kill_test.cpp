// kill -9 at points spread over a whole run, then the same run again: nothing is lost, nothing is
// counted twice, and the file is sound.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "tests/harness/database_text.hpp"
#include "tests/support/temporary_folder.hpp"

extern char** environ;

namespace yardstick::harness {
namespace {

using test::database_text;
using test::query;

/// The wait status of a run of kill_child.
int run_child(const std::filesystem::path& database, long microseconds) {
  std::string program = YARDSTICK_KILL_CHILD;
  std::string file = database.string();
  std::string limit = std::to_string(microseconds);
  char* arguments[] = {program.data(), file.data(), limit.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

std::int64_t count_samples(const std::filesystem::path& database) {
  if (!std::filesystem::exists(database)) return 0;
  if (query(database, "PRAGMA user_version") == "0\n") return 0;  // killed before the schema
  return std::stoll(query(database, "SELECT count(*) FROM sample"));
}

TEST(Kill, AtAnyMomentLeavesASoundStoreThatResumesToTheSameBytes) {
  const yardstick::test::TemporaryFolder folder;
  // The quickest of a few: on a busy machine one alone may take many times as long as the others.
  std::int64_t whole = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(run_child(folder / fmt::format("whole{}.db", i), 0), 0);
    whole = std::min(whole, std::chrono::duration_cast<std::chrono::microseconds>(
                                std::chrono::steady_clock::now() - start)
                                .count());
  }
  const std::string expected = database_text(folder / "whole0.db");
  Random random(1, "kill");
  int kills = 0;
  const std::filesystem::path file = folder / "killed.db";
  std::int64_t samples = 0;
  for (int round = 0; round < 24; ++round) {
    if (round % 8 == 0) {  // three stores, each killed up to eight times
      std::filesystem::remove(file);
      std::filesystem::remove(file.string() + "-wal");
      std::filesystem::remove(file.string() + "-shm");
      samples = 0;
    }
    const long limit = static_cast<long>(random.between(whole / 20 + 1, whole / 2 + 2));
    const int status = run_child(file, limit);
    if (WIFSIGNALED(status)) ++kills;
    const std::int64_t now = count_samples(file);
    EXPECT_GE(now, samples) << "a stored sample was lost in round " << round;
    samples = now;
    if (round % 8 != 7) continue;
    ASSERT_EQ(run_child(file, 0), 0) << "round " << round;
    EXPECT_EQ(query(file, "PRAGMA integrity_check"), "ok\n");
    EXPECT_EQ(query(file, "PRAGMA foreign_key_check"), "");
    EXPECT_EQ(database_text(file), expected) << "round " << round;
  }
  EXPECT_GT(kills, 5) << "the limits hardly ever hit a running child";
}

}  // namespace
}  // namespace yardstick::harness
