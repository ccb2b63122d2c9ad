#include "models/address_space.hpp"

#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20U;

// Measured with LibTorch 1.13 and OpenBLAS 0.3.21, as address space, little of which is ever
// filled.
constexpr std::int64_t kLibraries = 1100 * kMebi;
constexpr std::int64_t kThread = 280 * kMebi;  // stack, the allocator's arena, OpenBLAS's buffer

}  // namespace

std::optional<std::int64_t> address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;  // the first number: pages mapped
  return static_cast<std::int64_t>(limit.rlim_cur) - pages * ::sysconf(_SC_PAGESIZE);
}

void check_address_space(std::optional<std::int64_t> left, std::int64_t threads) {
  const std::int64_t needed = kLibraries + threads * kThread;
  if (!left || *left >= needed) return;
  throw Error(
      ErrorKind::kMemory,
      fmt::format("the address space is limited (ulimit -v), and {} MiB of it are left; the "
                  "libraries that compute need {} MiB with {} threads before the first model: "
                  "raise the limit, or limit memory instead (systemd-run -p MemoryMax=)",
                  *left / kMebi, needed / kMebi, threads));
}

}  // namespace yardstick::models
