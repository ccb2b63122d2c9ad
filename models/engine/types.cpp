// Names of the compute types.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "models/engine/engine.hpp"

namespace yardstick::models {
namespace {

/// The first name of a type is the one that is written.
constexpr std::array<std::pair<std::string_view, ComputeType>, 8> kNames = {
    {{"float32", ComputeType::kFloat32},
     {"bfloat16", ComputeType::kBFloat16},
     {"float16", ComputeType::kFloat16},
     {"f32", ComputeType::kFloat32},
     {"fp32", ComputeType::kFloat32},
     {"bf16", ComputeType::kBFloat16},
     {"f16", ComputeType::kFloat16},
     {"half", ComputeType::kFloat16}}};

}  // namespace

std::string_view to_string(ComputeType type) {
  for (const auto& [name, value] : kNames) {
    if (value == type) return name;
  }
  throw Error(ErrorKind::kInternal, "a compute type has no name");
}

ComputeType parse_compute_type(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& [name, value] : kNames) {
    if (name == text) return value;
    names.emplace_back(name);
  }
  throw Error(ErrorKind::kConfig,
              fmt::format("dtype '{}' is unknown{}; it is one of float32 (f32, fp32), bfloat16 "
                          "(bf16), float16 (f16, half)",
                          text, did_you_mean(text, names)));
}

}  // namespace yardstick::models
