#include "harness/scheduler/processors.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

namespace yardstick::harness {
namespace {

/// Workers that oneTBB may have: it counts one thread of the program's own as well.
std::size_t workers() {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) - 1;
}

TEST(Processors, WorkersAreThoseThatNoSlotComputesOnAndOneAtLeast) {
  const std::size_t before = workers();
  {
    Processors processors(8);
    EXPECT_EQ(workers(), 8U);
    {
      const Processors::Computing one(processors, 5);
      EXPECT_EQ(workers(), 3U);
      const Processors::Computing other(processors, 5);
      EXPECT_EQ(workers(), 1U) << "somebody must build";
    }
    EXPECT_EQ(workers(), 8U);
  }
  EXPECT_EQ(workers(), before);
}

}  // namespace
}  // namespace yardstick::harness
