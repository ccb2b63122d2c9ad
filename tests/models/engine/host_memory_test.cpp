// Available memory, read from files as Linux writes them.
#include "models/engine/host_memory.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

class HostMemory : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  TemporaryFolder root_;
};

TEST_F(HostMemory, IsTheKernelsEstimate) {
  EXPECT_EQ(models::available_memory(root_.path()), std::nullopt);
  write("proc/meminfo", "MemTotal:  24683656 kB\nMemFree:  18699856 kB\nMemAvailable:  100 kB\n");
  EXPECT_EQ(models::available_memory(root_.path()), 102400);
}

TEST_F(HostMemory, IsLimitedByEveryControlGroupAboveTheProcess) {
  write("proc/meminfo", "MemAvailable:  1000000 kB\n");
  write("proc/self/cgroup", "1:name=systemd:/x\n0::/slice/unit\n");
  write("sys/fs/cgroup/slice/unit/memory.max", "max\n");
  write("sys/fs/cgroup/slice/unit/memory.current", "7000\n");
  EXPECT_EQ(models::available_memory(root_.path()), 1024000000);
  write("sys/fs/cgroup/slice/memory.max", "50000\n");
  write("sys/fs/cgroup/slice/memory.current", "8000\n");
  EXPECT_EQ(models::available_memory(root_.path()), 42000);
  write("sys/fs/cgroup/slice/memory.current", "60000\n");
  EXPECT_EQ(models::available_memory(root_.path()), 0);
}

// Inside a container the path names groups that only the host sees; its own are at the top.
TEST_F(HostMemory, ReadsTheFirstVersionsGroupsAsWell) {
  write("proc/meminfo", "MemAvailable:  1000000 kB\n");
  write("proc/self/cgroup", "8:pids:/\n4:memory:/docker/0a1b\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
  EXPECT_EQ(models::available_memory(root_.path()), 1024000000);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "20000\n");
  EXPECT_EQ(models::available_memory(root_.path()), 15000);
}

}  // namespace
}  // namespace yardstick::test
