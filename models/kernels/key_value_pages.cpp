#include "models/kernels/key_value_pages.hpp"

#include <algorithm>
#include <atomic>

#include "core/error.hpp"
#include "models/kernels/tile.hpp"

namespace yardstick::models::kernels {
namespace {

std::int64_t whole_panels(std::int64_t width, std::int64_t panel) {
  return (width + panel - 1) / panel * panel;
}

std::int64_t page_count(std::int64_t first, std::int64_t capacity) {
  return (first + capacity + kPageTokens - 1) / kPageTokens - first / kPageTokens;
}

AlignedArray<float> room(std::int64_t floats) {
  return aligned_array<float>(static_cast<std::size_t>(floats));
}

}  // namespace

KeyValuePages::KeyValuePages(const HeadShape& shape, std::int64_t first, std::int64_t capacity)
    : shape_(shape),
      first_(first),
      panel_(tile_functions().columns),
      value_width_(whole_panels(shape.head_dim, panel_)),
      key_floats_(shape.kv_heads * shape.head_dim * kPageTokens),
      value_floats_(shape.kv_heads * value_width_ * kPageTokens) {
  check(shape.key_versions >= 1 && shape.key_versions <= kMostKeyVersions,
        "pages keep a key in one or two versions");
  const std::int64_t pages = page_count(first, capacity);
  for (int version = 0; version < shape.key_versions; ++version)
    keys_[static_cast<std::size_t>(version)] = room(pages * key_floats_);
  values_ = room(pages * value_floats_);
  finite_ = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(pages));
  std::fill_n(finite_.get(), pages, std::uint8_t{1});
}

std::int64_t KeyValuePages::floats(const HeadShape& shape, std::int64_t first,
                                   std::int64_t capacity) {
  return floats(shape, first, capacity, tile_functions().columns);
}

std::int64_t KeyValuePages::floats(const HeadShape& shape, std::int64_t first,
                                   std::int64_t capacity, std::int64_t panel) {
  const std::int64_t width =
      shape.key_versions * shape.head_dim + whole_panels(shape.head_dim, panel);
  return page_count(first, capacity) * kPageTokens * shape.kv_heads * width;
}

KeyValuePage KeyValuePages::page(std::int64_t index) const {
  const std::int64_t own = place(index);
  KeyValuePage page{.values = values_.get() + own * value_floats_,
                    .is_finite = finite_.get() + own};
  for (std::size_t version = 0; version < keys_.size(); ++version) {
    if (keys_[version]) page.keys[version] = keys_[version].get() + own * key_floats_;
  }
  return page;
}

void KeyValuePages::write_keys(std::int64_t token, int version, const ConstRows& keys) {
  const std::int64_t width = shape_.head_dim;
  float* const memory = keys_[static_cast<std::size_t>(version)].get();
  for (std::int64_t row = 0; row < keys.count; ++row, ++token) {
    const std::int64_t slot = token % kPageTokens;
    float* target = memory + place(token / kPageTokens) * key_floats_ +
                    slot / panel_ * width * panel_ + slot % panel_;
    const float* key = keys[row];
    for (std::int64_t group = 0; group < shape_.kv_heads; ++group) {
      for (std::int64_t d = 0; d < width; ++d) target[d * panel_] = key[d];
      key += width;
      target += width * kPageTokens;
    }
  }
}

void KeyValuePages::write_values(std::int64_t token, const ConstRows& values) {
  const std::int64_t width = shape_.head_dim;
  for (std::int64_t row = 0; row < values.count; ++row, ++token) {
    const std::int64_t page = place(token / kPageTokens);
    float* target = values_.get() + page * value_floats_ + token % kPageTokens * panel_;
    const float* value = values[row];
    for (std::int64_t group = 0; group < shape_.kv_heads; ++group) {
      for (std::int64_t d = 0; d < value_width_; d += panel_) {
        float* const part = target + d * kPageTokens;
        const std::int64_t count = std::min(panel_, width - d);
        std::copy_n(value + d, count, part);
        std::fill(part + count, part + panel_, 0.0F);
      }
      value += width;
      target += value_width_ * kPageTokens;
    }
    float zero = 0;
    for (std::int64_t i = 0; i < shape_.kv_heads * width; ++i) zero += values[row][i] * 0.0F;
    if (zero != 0.0F) {
      std::atomic_ref<std::uint8_t>(finite_[static_cast<std::size_t>(page)])
          .store(0, std::memory_order_relaxed);
    }
  }
}

void KeyValuePages::copy_begin(const KeyValuePage& page) {
  // Whole pages: the slots from first_ on are this object's to write anyway.
  for (std::size_t version = 0; version < keys_.size(); ++version) {
    if (keys_[version] && page.keys[version] != nullptr)
      std::copy_n(page.keys[version], key_floats_, keys_[version].get());
  }
  std::copy_n(page.values, value_floats_, values_.get());
  finite_[0] = *page.is_finite;
}

}  // namespace yardstick::models::kernels
