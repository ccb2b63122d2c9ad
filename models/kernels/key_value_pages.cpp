#include "models/kernels/key_value_pages.hpp"

#include <algorithm>
#include <atomic>

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
  const std::int64_t pages = page_count(first, capacity);
  keys_ = room(pages * key_floats_);
  values_ = room(pages * value_floats_);
  finite_ = std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(pages));
  std::fill_n(finite_.get(), pages, std::uint8_t{1});
}

std::int64_t KeyValuePages::floats(const HeadShape& shape, std::int64_t first,
                                   std::int64_t capacity) {
  const std::int64_t width =
      shape.head_dim + whole_panels(shape.head_dim, tile_functions().columns);
  return page_count(first, capacity) * kPageTokens * shape.kv_heads * width;
}

KeyValuePage KeyValuePages::page(std::int64_t index) const {
  const std::int64_t own = index - first_page();
  return {keys_.get() + own * key_floats_, values_.get() + own * value_floats_,
          finite_.get() + own};
}

KeyValuePages::Place KeyValuePages::place(std::int64_t page, std::int64_t group) const {
  const std::int64_t own = page - first_page();
  return {keys_.get() + own * key_floats_ + group * shape_.head_dim * kPageTokens,
          values_.get() + own * value_floats_ + group * value_width_ * kPageTokens};
}

void KeyValuePages::write_head(const Place& place, std::int64_t slot, const float* key,
                               const float* value) const {
  const std::int64_t width = shape_.head_dim;
  float* keys = place.keys + slot / panel_ * width * panel_ + slot % panel_;
  for (std::int64_t d = 0; d < width; ++d) keys[d * panel_] = key[d];
  for (std::int64_t d = 0; d < value_width_; d += panel_) {
    float* values = place.values + d * kPageTokens + slot * panel_;
    const std::int64_t count = std::min(panel_, width - d);
    std::copy_n(value + d, count, values);
    std::fill(values + count, values + panel_, 0.0F);
  }
}

void KeyValuePages::write(std::int64_t token, const KeyValueRows& rows) {
  const std::int64_t width = shape_.head_dim;
  for (std::int64_t row = 0; row < rows.count; ++row, ++token) {
    const std::int64_t page = token / kPageTokens;
    const float* key = rows.keys + row * rows.key_stride;
    const float* value = rows.values + row * rows.value_stride;
    for (std::int64_t group = 0; group < shape_.kv_heads; ++group)
      write_head(place(page, group), token % kPageTokens, key + group * width,
                 value + group * width);
    float zero = 0;
    for (std::int64_t i = 0; i < shape_.kv_heads * width; ++i) zero += value[i] * 0.0F;
    if (zero != 0.0F) {
      std::atomic_ref<std::uint8_t>(finite_[static_cast<std::size_t>(page - first_page())])
          .store(0, std::memory_order_relaxed);
    }
  }
}

void KeyValuePages::copy_begin(const KeyValuePage& page) {
  // Whole pages: the slots from first_ on are this object's to write anyway.
  std::copy_n(page.keys, key_floats_, keys_.get());
  std::copy_n(page.values, value_floats_, values_.get());
  finite_[0] = *page.is_finite;
}

}  // namespace yardstick::models::kernels
