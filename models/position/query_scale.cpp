// Factors on queries by position.
// Sources: Llama 4's temperature as transformers computes it (llama_4_scaling_beta); log-n scaling,
// Chiang and Cholak 2022 (arXiv 2202.12172), as released models apply it: never below 1.
#include "models/position/query_scale.hpp"

#include <algorithm>
#include <cmath>

namespace yardstick::position {
namespace {

double factor(const QueryScale& scale, std::int64_t position) {
  if (scale.kind == QueryScale::Kind::kLlama4)
    return 1.0 + scale.beta * std::log1p(static_cast<double>(position / scale.original_length));
  return std::max(1.0, std::log(static_cast<double>(position + 1)) /
                           std::log(static_cast<double>(scale.original_length)));
}

}  // namespace

std::vector<float> query_scales(const QueryScale& scale, std::int64_t first, std::int64_t count) {
  if (scale.kind == QueryScale::Kind::kNone) return {};
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t position = first; position < first + count; ++position)
    out.push_back(static_cast<float>(factor(scale, position)));
  return out;
}

}  // namespace yardstick::position
