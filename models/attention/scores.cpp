#include "models/attention/scores.hpp"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace yardstick::attention {
namespace {

/// -slope x distance, [H, n, m], from whole distances in f32.
at::Tensor sloped(const std::vector<float>& slopes, const ScoreBlock& block) {
  const at::TensorOptions options = at::TensorOptions(block.device).dtype(at::kFloat);
  const at::Tensor queries =
      at::arange(block.query_first, block.query_first + block.query_count, options);
  const at::Tensor keys = at::arange(block.key_first, block.key_first + block.key_count, options);
  const at::Tensor distance = queries.unsqueeze(1).sub(keys.unsqueeze(0));
  return at::tensor(slopes).to(block.device).view({-1, 1, 1}).mul(distance).neg();
}

/// The encoding's bias, [H, n, m], of the keys that are seen.
at::Tensor filled(const kernels::BiasFunction& bias, std::int64_t heads, const ScoreBlock& block) {
  const at::Tensor out = at::zeros({heads, block.query_count, block.key_count}, at::kFloat);
  float* row = out.data_ptr<float>();
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.query_count); ++i) {
      const std::int64_t begin = std::max(block.ranges.begin[i], block.key_first);
      const std::int64_t end = std::min(block.ranges.end[i], block.key_first + block.key_count);
      if (begin < end) {
        bias({.head = head,
              .query = block.query_first + static_cast<std::int64_t>(i),
              .first_key = begin},
             {row + begin - block.key_first, static_cast<std::size_t>(end - begin)});
      }
      row += block.key_count;
    }
  }
  return out.to(block.device);
}

}  // namespace

at::Tensor version(const at::Tensor& all, int index) { return all.select(0, index); }

at::Tensor scaled(const at::Tensor& queries, const at::Tensor& scales,
                  const kernels::Scoring& scoring) {
  const at::Tensor divided = queries.to(at::kFloat).div(scoring.divisor);
  return scales.defined() ? divided.mul(scales.view({-1, 1, 1})) : divided;
}

at::Tensor capped(const at::Tensor& scores, const kernels::Scoring& scoring) {
  if (!scoring.soft_cap) return scores;
  return scores.div(*scoring.soft_cap).tanh().mul(*scoring.soft_cap);
}

at::Tensor additions(const kernels::Scoring& scoring, std::int64_t heads, const ScoreBlock& block) {
  at::Tensor sum;
  if (!scoring.slopes.empty()) sum = sloped(scoring.slopes, block);
  if (!scoring.bias) return sum;
  const at::Tensor bias = filled(scoring.bias, heads, block);
  return sum.defined() ? sum.add(bias) : bias;
}

at::Tensor hidden(const ScoreBlock& block) {
  const auto column = [&](const std::vector<std::int64_t>& bounds) {
    return at::tensor(bounds).to(block.device).unsqueeze(1);
  };
  const at::Tensor keys = at::arange(block.key_first, block.key_first + block.key_count,
                                     at::TensorOptions(block.device).dtype(at::kLong));
  return keys.lt(column(block.ranges.begin)).logical_or(keys.ge(column(block.ranges.end)));
}

}  // namespace yardstick::attention
