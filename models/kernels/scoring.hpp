// How a layer's attention scores a key for a query, and which keys a query sees. Free of torch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/position/encoding.hpp"

namespace yardstick::models::kernels {

/// Encoding::fill_bias of a layer; asked for keys that the query sees alone, from several threads.
using BiasFunction = std::function<void(const position::BiasQuery& query, std::span<float> bias)>;

/// score = cap(q k^T / divisor) - slope x (query's place - key's place) + bias. Queries and keys
/// are rotated; places count from the start of the sequence.
struct Scoring {
  double divisor = 1.0;
  std::optional<double> soft_cap;  ///< cap(s) = soft_cap tanh(s / soft_cap)
  std::vector<float> slopes;       ///< [H] (ALiBi, arXiv 2108.12409, sec. 3), or empty
  BiasFunction bias;               ///< empty for none
  position::Reach reach;
};

}  // namespace yardstick::models::kernels
