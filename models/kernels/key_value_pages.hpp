// Keys and values of consecutive tokens of one sequence and layer, laid out for attention: pages of
// 64 tokens counted from the sequence's start. Free of torch.
#pragma once

#include <cstdint>
#include <memory>

#include "models/kernels/aligned.hpp"

namespace yardstick::models::kernels {

inline constexpr std::int64_t kPageTokens = 64;

struct HeadShape {
  std::int64_t heads = 0;     ///< H; head h reads key head h / (H / G)
  std::int64_t kv_heads = 0;  ///< G
  std::int64_t head_dim = 0;  ///< D
};

/// Keys [G, 64 / P, D, P] and values [G, ceil(D / P), 64, P] of 64 tokens in panels of P numbers,
/// so that both products of attention read panels.
struct KeyValuePage {
  const float* keys = nullptr;
  const float* values = nullptr;
  const std::uint8_t* is_finite = nullptr;  ///< 0: a value is NaN or infinite
};

/// Keys and values [count, G, D] of consecutive tokens; strides from row to row in numbers.
struct KeyValueRows {
  const float* keys = nullptr;  ///< rotated
  std::int64_t key_stride = 0;
  const float* values = nullptr;
  std::int64_t value_stride = 0;
  std::int64_t count = 0;
};

/// Room for tokens [first, first + capacity) of a sequence. Tokens may be written by several
/// threads at once, each its own.
class KeyValuePages {
 public:
  KeyValuePages(const HeadShape& shape, std::int64_t first, std::int64_t capacity);

  /// Numbers that pages of `capacity` tokens from `first` on take.
  [[nodiscard]] static std::int64_t floats(const HeadShape& shape, std::int64_t first,
                                           std::int64_t capacity);

  /// Puts the rows at tokens [token, token + rows.count), which have room.
  void write(std::int64_t token, const KeyValueRows& rows);

  /// Takes over the tokens of its page that lie before `first`.
  void copy_begin(const KeyValuePage& page);

  /// Whether tokens before `first` share the first page.
  [[nodiscard]] bool begins_inside_page() const { return first_ % kPageTokens != 0; }

  [[nodiscard]] std::int64_t first_page() const { return first_ / kPageTokens; }

  /// Page `index` of the sequence, at least first_page().
  [[nodiscard]] KeyValuePage page(std::int64_t index) const;

 private:
  struct Place {
    float* keys = nullptr;
    float* values = nullptr;
  };
  [[nodiscard]] Place place(std::int64_t page, std::int64_t group) const;
  void write_head(const Place& place, std::int64_t slot, const float* key,
                  const float* value) const;

  HeadShape shape_;
  std::int64_t first_;
  std::int64_t panel_;        // P
  std::int64_t value_width_;  // D rounded up to whole panels
  std::int64_t key_floats_;   // of a page
  std::int64_t value_floats_;
  AlignedArray<float> keys_;
  AlignedArray<float> values_;
  std::unique_ptr<std::uint8_t[]> finite_;  // of each page
};

}  // namespace yardstick::models::kernels
