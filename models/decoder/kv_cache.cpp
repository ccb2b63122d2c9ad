// KvCache: one tensor or one run of pages a layer, allocated whole, filled from the front.
#include "models/decoder/kv_cache.hpp"

#include <ATen/ops/empty.h>

#include "core/error.hpp"

namespace yardstick::models {

namespace {

kernels::HeadShape head_shape(const KvCacheShape& shape, int key_versions) {
  return {.kv_heads = shape.kv_heads, .head_dim = shape.head_dim, .key_versions = key_versions};
}

}  // namespace

std::int64_t cache_bytes(const KvCacheShape& shape, at::ScalarType dtype) {
  std::int64_t bytes = 0;
  for (const int versions : shape.key_versions) {
    if (shape.layout == KvCacheShape::Layout::kPages) {
      bytes +=
          std::int64_t{sizeof(float)} *
          kernels::KeyValuePages::floats(head_shape(shape, versions), shape.first, shape.capacity);
    } else {
      bytes += (versions + 1) * shape.capacity * shape.kv_heads * shape.head_dim *
               static_cast<std::int64_t>(c10::elementSize(dtype));
    }
  }
  return bytes;
}

KvCache::KvCache(const KvCacheShape& shape, at::TensorOptions options) : shape_(shape) {
  for (const int versions : shape.key_versions) {
    if (shape.layout == KvCacheShape::Layout::kPages) {
      pages_.emplace_back(head_shape(shape, versions), shape.first, shape.capacity);
      continue;
    }
    keys_.push_back(at::empty({versions, shape.capacity, shape.kv_heads, shape.head_dim}, options));
    values_.push_back(at::empty({shape.capacity, shape.kv_heads, shape.head_dim}, options));
  }
}

at::Tensor KvCache::keys(std::int64_t layer) const {
  if (length_ == 0) return {};
  return keys_[static_cast<std::size_t>(layer)].narrow(1, 0, length_);
}

at::Tensor KvCache::values(std::int64_t layer) const {
  if (length_ == 0) return {};
  return values_[static_cast<std::size_t>(layer)].narrow(0, 0, length_);
}

void KvCache::write(std::int64_t layer, const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t tokens = values.size(0);
  check(length_ + tokens <= shape_.capacity, "a KV cache is large enough for its sequence");
  keys_[static_cast<std::size_t>(layer)].narrow(1, length_, tokens).copy_(keys);
  values_[static_cast<std::size_t>(layer)].narrow(0, length_, tokens).copy_(values);
}

kernels::KeyValuePages& KvCache::pages(std::int64_t layer) {
  return pages_[static_cast<std::size_t>(layer)];
}

const kernels::KeyValuePages& KvCache::pages(std::int64_t layer) const {
  return pages_[static_cast<std::size_t>(layer)];
}

void KvCache::advance(std::int64_t tokens) {
  check(length_ + tokens <= shape_.capacity, "a KV cache is large enough for its sequence");
  length_ += tokens;
}

}  // namespace yardstick::models
