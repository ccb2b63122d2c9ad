// Keys and values of one sequence's computed tokens, every layer: what later chunks and generated
// tokens attend to.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/kernels/key_value_pages.hpp"

namespace yardstick::models {

struct KvCacheShape {
  std::vector<int> key_versions;  ///< [L] rotations of each key that are kept
  std::int64_t kv_heads = 0;      ///< G
  std::int64_t head_dim = 0;      ///< D
  std::int64_t first = 0;         ///< tokens of the sequence before the cache's own
  std::int64_t capacity = 0;      ///< tokens
  /// As the attention that reads them wants them: the CPU's own kernel takes pages.
  enum class Layout { kTensors, kPages } layout = Layout::kTensors;
};

/// Bytes that such a cache takes, with tensors of `dtype`.
[[nodiscard]] std::int64_t cache_bytes(const KvCacheShape& shape, at::ScalarType dtype);

/// Movable, not copyable: a copy would cost its bytes.
class KvCache {
 public:
  KvCache(const KvCacheShape& shape, at::TensorOptions options);
  KvCache(KvCache&&) noexcept = default;
  KvCache& operator=(KvCache&&) noexcept = default;
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;
  ~KvCache() = default;

  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::int64_t first() const { return shape_.first; }
  [[nodiscard]] std::int64_t capacity() const { return shape_.capacity; }

  /// Layout kTensors: views [versions, length, G, D] and [length, G, D], or undefined tensors while
  /// the cache is empty.
  [[nodiscard]] at::Tensor keys(std::int64_t layer) const;
  [[nodiscard]] at::Tensor values(std::int64_t layer) const;

  /// Layout kTensors: puts the keys [versions, n, G, D] and values [n, G, D] of the next n tokens
  /// of `layer` behind length(); they count once advance(n) was called after the last layer.
  void write(std::int64_t layer, const at::Tensor& keys, const at::Tensor& values);

  /// Layout kPages: where the tokens of `layer` lie; what is written counts after advance().
  [[nodiscard]] kernels::KeyValuePages& pages(std::int64_t layer);
  [[nodiscard]] const kernels::KeyValuePages& pages(std::int64_t layer) const;

  void advance(std::int64_t tokens);

 private:
  KvCacheShape shape_;
  std::vector<at::Tensor> keys_;    // L times [versions, capacity, G, D]
  std::vector<at::Tensor> values_;  // L times [capacity, G, D]
  std::vector<kernels::KeyValuePages> pages_;
  std::int64_t length_ = 0;
};

}  // namespace yardstick::models
