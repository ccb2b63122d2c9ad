// The one transformer that every supported architecture is a configuration of, on packed batches of
// sequences. Serves evaluation (KV caches, tiled attention) and training (the same forward pass
// with autograd on) alike.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"
#include "models/decoder/config.hpp"
#include "models/decoder/kv_cache.hpp"
#include "models/decoder/weights.hpp"
#include "models/position/encoding.hpp"

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
};

/// Sequences end to end. For training: B equal windows, row_begin = b x N, row_count = N.
struct PackedBatch {
  at::Tensor tokens;  ///< [T] int64 on the decoder's device; rows outside every sequence are filler
  std::vector<PackedSequence> sequences;
  /// Token-wise layers run on this many rows at a time, so that activations stay small and in the
  /// cache; 0 = all rows at once. Not read when gradients are needed.
  std::int64_t row_block = 0;
};

struct DecoderOptions {
  attention::Need::Gradient gradient = attention::Need::Gradient::kNone;
  std::int64_t attention_tile_tokens = 256;
  const attention::Backend* attention = nullptr;  ///< null = choose_backend()
};

/// Weights by the decoder's names (models/arch/architecture.hpp), all on one device; matrices in
/// the compute dtype, norms in any. For training they are the leaf tensors with requires_grad that
/// the trainer keeps and steps; for evaluation they are read-only and may be dropped.
///
/// Immutable but for a cache of rotation tables: one thread at a time. Norms, residual stream,
/// rotation and softmax are f32 whatever the compute dtype.
class Decoder {
 public:
  /// @throws Error(kModel) naming a weight that is missing, unexpected or mis-shaped;
  /// Error(kDevice) if no attention backend serves the device and dtype.
  Decoder(DecoderConfig config, Weights weights, std::shared_ptr<const position::Encoding> encoding,
          const DecoderOptions& options);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// The final norm's output [T, E] f32. Appends to the caches of the sequences that have one.
  [[nodiscard]] at::Tensor hidden(const PackedBatch& batch);

  /// Logits [n, V] f32 of rows [n, E] of hidden(), after bias and logit scale.
  [[nodiscard]] at::Tensor logits(const at::Tensor& hidden_rows) const;

  /// An empty cache for a sequence of up to `capacity` tokens.
  [[nodiscard]] KvCache make_cache(std::int64_t capacity) const;

  /// Of keys and values in a cache, all layers.
  [[nodiscard]] std::int64_t cache_bytes_per_token() const;

  [[nodiscard]] const DecoderConfig& config() const;
  [[nodiscard]] const attention::Backend& attention_backend() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yardstick::models
