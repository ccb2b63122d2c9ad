#include "harness/suite/device.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::harness {
namespace {

std::optional<int> parse_count(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < low || value > high) return std::nullopt;
  return value;
}

bool is_accelerator(const std::string& name) {
  if (name == "cuda") return true;
  return name.starts_with("cuda:") && parse_count(std::string_view(name).substr(5), 0, 1023);
}

}  // namespace

std::vector<DeviceSlot> parse_devices(std::span<const std::string> names, int threads,
                                      int processors, std::string_view where) {
  const auto cpu_slots = std::count_if(names.begin(), names.end(),
                                       [](const std::string& n) { return n.starts_with("cpu"); });
  const int share = std::max(1, processors / std::max(1, static_cast<int>(cpu_slots)));
  std::vector<DeviceSlot> slots;
  for (const std::string& name : names) {
    if (name == "cpu") {
      slots.push_back({"cpu", threads > 0 ? threads : share});
      continue;
    }
    if (name.starts_with("cpu:")) {
      if (const auto count = parse_count(std::string_view(name).substr(4), 1, 4096)) {
        slots.push_back({"cpu", *count});
        continue;
      }
    }
    if (!is_accelerator(name)) {
      throw Error(ErrorKind::kConfig,
                  fmt::format("{}: devices: found '{}', expected cpu, cpu:THREADS, cuda or cuda:N "
                              "(repeat cpu for several CPU slots)",
                              where, name));
    }
    slots.push_back({name, 1});
  }
  if (slots.empty()) {
    throw Error(ErrorKind::kConfig, fmt::format("{}: devices: the list is empty", where));
  }
  return slots;
}

}  // namespace yardstick::harness
