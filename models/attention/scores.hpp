// Inside the room: what scores of queries and keys go through before the softmax, as tensors.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"
#include "models/position/version_ranges.hpp"

namespace yardstick::attention {

/// The scores of some queries, for which `ranges` was made, and some keys, in one pair of versions.
struct ScoreBlock {
  const position::VersionRanges& ranges;
  std::int64_t query_first = 0;  ///< place in the sequence
  std::int64_t query_count = 0;  ///< n
  std::int64_t key_first = 0;
  std::int64_t key_count = 0;  ///< m
  at::Device device = at::kCPU;
};

/// One version of queries or keys that lie side by side, [versions, ...].
[[nodiscard]] at::Tensor version(const at::Tensor& all, int index);

/// Queries [n, H, D] as f32, divided by the divisor and times their factors [n], if there are any.
[[nodiscard]] at::Tensor scaled(const at::Tensor& queries, const at::Tensor& scales,
                                const kernels::Scoring& scoring);

/// Soft-capped, where the scoring asks for it.
[[nodiscard]] at::Tensor capped(const at::Tensor& scores, const kernels::Scoring& scoring);

/// What is added to capped scores, [H, n, m] f32 (0 where a query does not see a key), or
/// undefined.
[[nodiscard]] at::Tensor additions(const kernels::Scoring& scoring, std::int64_t heads,
                                   const ScoreBlock& block);

/// Whether a query does not see a key in these versions, bool [n, m].
[[nodiscard]] at::Tensor hidden(const ScoreBlock& block);

}  // namespace yardstick::attention
