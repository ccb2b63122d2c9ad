// Threads of the CPU's kernels are those that were set, by the thread that computes.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "models/engine/device.hpp"
#include "models/kernels/parallel.hpp"

namespace yardstick::test {
namespace {

namespace kernels = models::kernels;

TEST(Threads, KernelsUseThoseThatWereSetOnTheThreadThatCallsThem) {
  for (const int threads : {3, 1, 2}) {
    std::thread([&] {
      models::set_compute_threads(threads);
      EXPECT_EQ(kernels::thread_count(), threads);
      std::atomic<std::int64_t> highest{0};
      kernels::for_each_task(1000, [&](std::int64_t, std::int64_t thread) {
        std::int64_t seen = highest;
        while (seen < thread && !highest.compare_exchange_weak(seen, thread)) {
        }
      });
      EXPECT_LT(highest, threads);
      kernels::set_thread_count(threads + 1);
      EXPECT_EQ(kernels::thread_count(), threads + 1);
    }).join();
  }
}

}  // namespace
}  // namespace yardstick::test
