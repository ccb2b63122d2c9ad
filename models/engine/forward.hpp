// Runs many sequences through the decoder in packed batches and hands over each piece's rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/decoder.hpp"
#include "models/engine/engine.hpp"
#include "models/engine/packing.hpp"
#include "models/engine/request.hpp"

namespace yardstick::models {

/// One sequence to compute: `tokens`, behind what `prefix` and `cache` already hold.
struct ForwardSequence {
  std::span<const TokenId> tokens;
  std::int64_t total_length = 0;       ///< for kTotal encodings
  std::vector<const KvCache*> prefix;  ///< read only, before the tokens of `cache`
  KvCache* cache = nullptr;            ///< keeps keys and values; null = forgotten afterwards
};

struct ForwardOptions {
  c10::Device device = c10::DeviceType::CPU;
  std::int64_t batch_tokens = 4096;
  OnState on_state = {};  ///< of each pass
};

/// Rows of one batch: piece i occupies rows [row_begin[i], row_begin[i] + pieces[i].count).
struct ForwardBatch {
  at::Tensor hidden;  ///< [T, E] f32
  std::vector<Piece> pieces;
  std::vector<std::int64_t> row_begin;
};

/// Called with each batch; answers whether to go on.
using OnBatch = std::function<Continue(const ForwardBatch& batch)>;

/// All of the sequences in one pass, end to end: the hidden states [T, E] f32 of their tokens.
[[nodiscard]] at::Tensor forward_pass(Decoder& decoder, std::span<const ForwardSequence> sequences,
                                      const ForwardOptions& options);

/// The sequences in as many passes as batch_tokens asks for. A sequence of more than one piece and
/// without a cache gets one while it runs. kStop if on_batch asked for it.
Continue forward(Decoder& decoder, std::span<const ForwardSequence> sequences,
                 const ForwardOptions& options, const OnBatch& on_batch);

}  // namespace yardstick::models
