// How much memory the machine can still give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace yardstick::models {

/// Bytes that this process may still allocate: the least of what the kernel holds available and
/// what the control groups above the process leave of their limits. Nothing where the kernel does
/// not say. `root` is where /proc and /sys are.
[[nodiscard]] std::optional<std::int64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace yardstick::models
