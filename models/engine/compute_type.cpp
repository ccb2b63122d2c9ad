// Names of the compute types. Free of torch: suites and the command line read them too.
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/engine/engine.hpp"

namespace yardstick::models {

std::string_view to_string(ComputeType type) {
  switch (type) {
    case ComputeType::kFloat32: return "float32";
    case ComputeType::kBFloat16: return "bfloat16";
    case ComputeType::kFloat16: return "float16";
  }
  return "unknown";
}

ComputeType parse_compute_type(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, ComputeType>, 8> kNames = {{
      {"float32", ComputeType::kFloat32},
      {"f32", ComputeType::kFloat32},
      {"fp32", ComputeType::kFloat32},
      {"bfloat16", ComputeType::kBFloat16},
      {"bf16", ComputeType::kBFloat16},
      {"float16", ComputeType::kFloat16},
      {"f16", ComputeType::kFloat16},
      {"fp16", ComputeType::kFloat16},
  }};
  for (const auto& [name, type] : kNames) {
    if (name == text) return type;
  }
  if (text == "half") return ComputeType::kFloat16;
  throw Error(ErrorKind::kConfig,
              fmt::format("unknown dtype '{}'; expected float32, bfloat16 or float16", text));
}

}  // namespace yardstick::models
