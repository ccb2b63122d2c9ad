// What one forward pass computes: runs of tokens of many sequences, end to end, never padded.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/kv_cache.hpp"

namespace yardstick::models {

/// A run of consecutive tokens of one sequence inside a packed batch.
struct PackedSequence {
  std::int64_t row_begin = 0;       ///< its rows of the batch: [row_begin, row_begin + row_count)
  std::int64_t row_count = 0;       ///< tokens
  std::int64_t first_position = 0;  ///< position of the first row
  std::int64_t total_length = 0;  ///< tokens of the whole sequence; read by LengthUse::kTotal only
  /// Tokens before this run, in order, which other sequences may share.
  std::vector<const KvCache*> prefix;
  /// The sequence's own tokens between prefix and run, to which this run's keys and values are
  /// appended; null for a run that is not continued. Prefix and cache hold first_position tokens,
  /// or none: then the run sees itself alone, wherever it starts.
  KvCache* cache = nullptr;

  /// Tokens of prefix and cache.
  [[nodiscard]] std::int64_t tokens_before() const {
    std::int64_t count = cache == nullptr ? 0 : cache->length();
    for (const KvCache* shared : prefix) count += shared->length();
    return count;
  }
};

/// One row of a pass's output, and the token that should follow it (none: -1).
struct TargetRow {
  std::int64_t row = 0;
  std::int64_t target = -1;
};

/// Hears the rows [T, E] f32 of a pass as it runs: of state 0 before the first block, of state i
/// behind block i - 1, of state L behind the final norm. The rows are valid during the call.
using OnState = std::function<void(std::int64_t state, const at::Tensor& rows)>;

/// Sequences end to end. For training: B equal windows, row_begin = b x N, row_count = N.
struct PackedBatch {
  at::Tensor tokens;  ///< [T] int64 on the decoder's device; rows outside every sequence are filler
  std::vector<PackedSequence> sequences;
  /// Token-wise layers of LibTorch run on this many rows at a time, so that activations stay small
  /// and in the cache; 0 = all rows at once. Not read when gradients are needed.
  std::int64_t row_block = 0;
  OnState on_state = {};  ///< empty: nobody listens
};

}  // namespace yardstick::models
