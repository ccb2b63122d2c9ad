// The one transformer that every supported architecture is a configuration of, on packed batches of
// sequences. Serves evaluation (KV caches, tiled attention) and training (the same forward pass
// with autograd on) alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/attention/attention.hpp"
#include "models/decoder/config.hpp"
#include "models/decoder/packed_batch.hpp"
#include "models/decoder/weights.hpp"
#include "models/kernels/vocabulary.hpp"
#include "models/position/encoding.hpp"
#include "models/profile.hpp"

namespace yardstick::models {

struct DecoderOptions {
  attention::Need::Gradient gradient = attention::Need::Gradient::kNone;
  std::int64_t attention_tile_tokens = 256;
  /// Null = the CPU's own kernels where they serve (f32, bf16, no gradients), else
  /// choose_backend().
  const attention::Backend* attention = nullptr;
  /// Hears the name of each weight that was copied and is not read again.
  std::function<void(const std::string& name)> on_packed;
};

/// Weights by the decoder's names (models/arch/architecture.hpp), all on one device; the embedding
/// in the compute dtype, and the matrices too, unless the decoder packs them (f32, bf16 on the
/// CPU). For training they are the leaf tensors with requires_grad that the trainer keeps and
/// steps; for evaluation they are read-only and may be dropped.
///
/// Immutable but for a cache of rotation tables: one thread at a time. Norms, residual stream,
/// rotation and softmax are f32 whatever the compute dtype.
class Decoder {
 public:
  /// @throws Error(kModel) naming a weight that is missing, unexpected or mis-shaped, or
  /// settings of the blocks that exclude each other;
  /// Error(kDevice) if no attention backend serves the device and dtype.
  Decoder(DecoderConfig config, Weights weights, std::shared_ptr<const position::Encoding> encoding,
          const DecoderOptions& options);
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  /// The final norm's output [T, E] f32. Appends to the caches of the sequences that have one.
  [[nodiscard]] at::Tensor hidden(const PackedBatch& batch);

  /// Logits [n, V] f32 of rows [n, E] of hidden(), after bias, logit scale and soft cap.
  [[nodiscard]] at::Tensor logits(const at::Tensor& hidden_rows) const;

  /// Losses of rows of hidden() without their logits (kernels::vocabulary_losses), on the CPU's
  /// own kernels; nothing elsewhere.
  [[nodiscard]] std::optional<std::vector<kernels::RowLoss>> losses(const at::Tensor& hidden,
                                                                    std::span<const TargetRow> rows,
                                                                    std::int64_t candidates);

  /// An empty cache for up to `capacity` tokens behind the first `first` of a sequence.
  [[nodiscard]] KvCache make_cache(std::int64_t first, std::int64_t capacity) const;

  /// Bytes of such a cache, all layers.
  [[nodiscard]] std::int64_t cache_bytes(std::int64_t first, std::int64_t capacity) const;

  /// Bytes that a pass over `tokens` tokens of one sequence holds, if such a pass may be long:
  /// layer after layer it keeps one layer's keys and values instead of all layers'.
  [[nodiscard]] std::optional<std::int64_t> pass_bytes(std::int64_t tokens) const;

  [[nodiscard]] const DecoderConfig& config() const;
  [[nodiscard]] std::string_view attention_name() const;

  /// Time and work so far, where they are counted (CPU, f32 and bf16).
  [[nodiscard]] std::optional<Profile> profile() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yardstick::models
