// Device slots as a suite or the command line names them: "cpu", "cpu:2" (two threads), "cuda:0".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::harness {

/// Where one model at a time runs.
struct DeviceSlot {
  std::string device = "cpu";  ///< as EngineOptions::device: "cpu", "cuda" or "cuda:N"
  int threads = 1;             ///< intra-op threads on the CPU

  bool operator==(const DeviceSlot&) const = default;
};

/// The slots that `names` ask for. A CPU slot without a count of its own gets `threads`, or, where
/// that is 0, an equal share of `processors`.
/// @throws Error(kConfig) naming `where` and the word for anything else.
[[nodiscard]] std::vector<DeviceSlot> parse_devices(std::span<const std::string> names, int threads,
                                                    int processors, std::string_view where);

}  // namespace yardstick::harness
