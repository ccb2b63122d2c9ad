// Causal attention of the CPU, f32, in tiles with an online softmax (arXiv 1805.02867; in tiles
// arXiv 2205.14135). Free of torch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace yardstick::models::kernels {

struct HeadShape {
  std::int64_t heads = 0;     ///< H; head h reads key head h / (H / G)
  std::int64_t kv_heads = 0;  ///< G
  std::int64_t head_dim = 0;  ///< D
};

/// Keys and values [count, G, D] of consecutive tokens; strides from row to row in numbers.
struct KeyValueRows {
  const float* keys = nullptr;  ///< rotated
  std::int64_t key_stride = 0;
  const float* values = nullptr;
  std::int64_t value_stride = 0;
  std::int64_t count = 0;
};

/// The last `count` tokens of one sequence ask about all its tokens up to themselves.
struct SequenceView {
  const float* queries = nullptr;  ///< [count, H, D] rotated, rows `query_stride` numbers apart
  std::int64_t query_stride = 0;
  float* out = nullptr;  ///< [count, H, D]
  std::int64_t count = 0;
  std::vector<KeyValueRows> rows;  ///< of all tokens from position 0 on, in order
};

/// softmax(q k^T / sqrt(D) - slope x distance) v of every sequence. `slopes` [H], or null without a
/// bias (ALiBi, arXiv 2108.12409, sec. 3; distances are exact below 2^24). A query's result depends
/// on its own sequence up to itself, to the last bit: keys are taken in groups that begin at fixed
/// positions, wherever the sequence was cut into rows and whatever else is in the batch.
void attend(std::span<const SequenceView> sequences, const HeadShape& shape, const float* slopes);

}  // namespace yardstick::models::kernels
