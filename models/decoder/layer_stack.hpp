// Inside the room: all that a decoder computes, on one kind of device.
#pragma once

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
#include "models/decoder/rotation.hpp"
#include "models/decoder/weights.hpp"
#include "models/kernels/vocabulary.hpp"
#include "models/profile.hpp"

namespace yardstick::models {

class LayerStack {
 public:
  LayerStack() = default;
  LayerStack(const LayerStack&) = delete;
  LayerStack& operator=(const LayerStack&) = delete;
  virtual ~LayerStack() = default;

  /// Decoder::hidden, with the rotation tables of the batch's rows prepared.
  [[nodiscard]] virtual at::Tensor hidden(const PackedBatch& batch, Rotator& rotator) = 0;

  /// Logits [n, V] f32 of rows [n, E].
  [[nodiscard]] virtual at::Tensor logits(const at::Tensor& rows) const = 0;

  /// Losses of rows of hidden() without their logits; nothing where only LibTorch computes logits.
  [[nodiscard]] virtual std::optional<std::vector<kernels::RowLoss>> losses(
      const at::Tensor& /*hidden*/, std::span<const TargetRow> /*rows*/,
      std::int64_t /*candidates*/) {
    return std::nullopt;
  }

  [[nodiscard]] virtual KvCacheShape::Layout cache_layout() const {
    return KvCacheShape::Layout::kTensors;
  }

  /// Bytes that a pass of `rows` rows holds besides caches; nothing where a pass that keeps all
  /// rows of a long sequence is no good idea.
  [[nodiscard]] virtual std::optional<std::int64_t> pass_bytes(std::int64_t /*rows*/) const {
    return std::nullopt;
  }

  [[nodiscard]] virtual std::string_view attention_name() const = 0;

  /// Time and work so far, where they are counted.
  [[nodiscard]] virtual std::optional<Profile> profile() const { return std::nullopt; }
};

/// What a stack is built from; the encoding must outlive it.
struct StackParts {
  const DecoderConfig& config;
  const Weights& weights;
  const position::Encoding& encoding;
};

/// With LibTorch's operations: any device and dtype, gradients.
struct TorchStackOptions {
  attention::Need::Gradient gradient = attention::Need::Gradient::kNone;
  std::int64_t attention_tile_tokens = 256;
  const attention::Backend* attention = nullptr;  ///< null = choose_backend()
};
[[nodiscard]] std::unique_ptr<LayerStack> make_torch_stack(const StackParts& parts,
                                                           const TorchStackOptions& options);

/// With the kernels of models/kernels: f32 on the CPU, no gradients. Weights are kept in bfloat16
/// if the embedding is. Matrices are packed one by one; `on_packed` hears the name of each that is
/// not read again.
[[nodiscard]] std::unique_ptr<LayerStack> make_cpu_stack(
    const StackParts& parts, const std::function<void(const std::string& name)>& on_packed);

}  // namespace yardstick::models
