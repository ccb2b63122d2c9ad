#include "models/engine/host_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <utility>

namespace yardstick::models {
namespace {

namespace fs = std::filesystem;

/// Where one version of control groups keeps its numbers.
struct Hierarchy {
  const char* entry;  // between the colons of its line in /proc/self/cgroup
  const char* folder;
  const char* limit;
  const char* usage;
};

constexpr std::array<Hierarchy, 2> kHierarchies = {
    {{"", "sys/fs/cgroup", "memory.max", "memory.current"},
     {"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}}};

/// The number that a file consists of; nothing if there is no such file, or it says "max".
std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> kernel_estimate(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, name);
  }
  return std::nullopt;
}

/// The process's group in a hierarchy, relative to its folder. A container may not see the groups
/// above its own, so the folders on the way need not exist.
std::optional<fs::path> group_in(const Hierarchy& hierarchy, const fs::path& root) {
  std::ifstream file(root / "proc/self/cgroup");
  std::string line;  // "4:memory:/a/b"
  while (std::getline(file, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) != hierarchy.entry) continue;
    return fs::path(line.substr(second + 1)).relative_path();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> available_memory(const fs::path& root) {
  std::optional<std::int64_t> available = kernel_estimate(root);
  if (!available) return std::nullopt;
  for (const Hierarchy& hierarchy : kHierarchies) {
    std::optional<fs::path> group = group_in(hierarchy, root);
    while (group) {
      const fs::path folder = root / hierarchy.folder / *group;
      const auto limit = number_in(folder / hierarchy.limit);
      const auto usage = number_in(folder / hierarchy.usage);
      if (limit && usage) available = std::min(*available, *limit - *usage);
      group = group->empty() ? std::nullopt : std::optional(group->parent_path());
    }
  }
  return std::max<std::int64_t>(*available, 0);
}

}  // namespace yardstick::models
