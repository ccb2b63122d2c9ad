#include "tasks/parallel.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "tasks/build_each.hpp"

namespace yardstick::tasks {
namespace {

using testing::ElementsAre;

TEST(ParallelForEach, CallsEachIndexOnce) {
  tbb::task_arena arena(2);
  std::vector<std::atomic<int>> calls(1000);
  arena.execute([&] { parallel_for_each(calls.size(), [&](std::size_t i) { ++calls[i]; }); });
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
  parallel_for_each(0, [](std::size_t) { FAIL() << "there is nothing to do"; });
}

TEST(ParallelForEach, ThrowsWhatAPlainLoopWouldThrow) {
  tbb::task_arena arena(2);
  for (int round = 0; round < 50; ++round) {
    const auto fail_from_seven = [](std::size_t i) {
      if (i >= 7) throw std::runtime_error(std::to_string(i));
    };
    try {
      arena.execute([&] { parallel_for_each(100, fail_from_seven); });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

TEST(BuildEach, KeepsTheOrderWhateverTheThreads) {
  tbb::task_arena arena(2);
  Task::Built built;
  arena.execute([&] {
    built = build_each(6, [](std::size_t i) -> BuiltSample {
      std::this_thread::sleep_for(std::chrono::milliseconds(10 - i));
      const std::string id = std::to_string(i);
      if (i % 3 == 1) return SampleScore{.sample_id = id};
      return Sample{.id = id};
    });
  });
  std::vector<std::string> samples;
  std::vector<std::string> skipped;
  for (const Sample& sample : built.samples) samples.push_back(sample.id);
  for (const SampleScore& score : built.skipped) skipped.push_back(score.sample_id);
  EXPECT_THAT(samples, ElementsAre("0", "2", "3", "5"));
  EXPECT_THAT(skipped, ElementsAre("1", "4"));
}

}  // namespace
}  // namespace yardstick::tasks
