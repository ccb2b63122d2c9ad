// KvCache: one tensor a layer and side, allocated whole, filled from the front.
#include "models/decoder/kv_cache.hpp"

#include <ATen/ops/empty.h>

#include "core/error.hpp"

namespace yardstick::models {

KvCache::KvCache(const KvCacheShape& shape, at::TensorOptions options) : capacity_(shape.capacity) {
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    keys_.push_back(at::empty({shape.capacity, shape.kv_heads, shape.head_dim}, options));
    values_.push_back(at::empty({shape.capacity, shape.kv_heads, shape.head_dim}, options));
  }
}

at::Tensor KvCache::keys(std::int64_t layer) const {
  if (length_ == 0) return {};
  return keys_[static_cast<std::size_t>(layer)].narrow(0, 0, length_);
}

at::Tensor KvCache::values(std::int64_t layer) const {
  if (length_ == 0) return {};
  return values_[static_cast<std::size_t>(layer)].narrow(0, 0, length_);
}

void KvCache::write(std::int64_t layer, const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t tokens = keys.size(0);
  check(length_ + tokens <= capacity_, "a KV cache is large enough for its sequence");
  keys_[static_cast<std::size_t>(layer)].narrow(0, length_, tokens).copy_(keys);
  values_[static_cast<std::size_t>(layer)].narrow(0, length_, tokens).copy_(values);
}

void KvCache::advance(std::int64_t tokens) {
  check(length_ + tokens <= capacity_, "a KV cache is large enough for its sequence");
  length_ += tokens;
}

}  // namespace yardstick::models
