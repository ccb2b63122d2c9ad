#include "core/error.hpp"

#include <fmt/format.h>

namespace yardstick {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfig: return "config";
    case ErrorKind::kData: return "data";
    case ErrorKind::kModel: return "model";
    case ErrorKind::kShape: return "shape";
    case ErrorKind::kDevice: return "device";
    case ErrorKind::kMemory: return "memory";
    case ErrorKind::kStore: return "store";
    case ErrorKind::kInternal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string message) : std::runtime_error(message), kind_(kind) {}

Error Error::within(std::string_view where) const {
  return {kind_, fmt::format("{}: {}", where, what())};
}

void check(bool condition, std::string_view claim, std::source_location where) {
  if (condition) return;
  throw Error(ErrorKind::kInternal,
              fmt::format("{}:{}: internal check failed: {} (please report this)",
                          where.file_name(), where.line(), claim));
}

}  // namespace yardstick
