// Keys and values of consecutive tokens of one sequence and layer, laid out for attention: pages of
// 64 tokens counted from the sequence's start. Free of torch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "models/kernels/aligned.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

inline constexpr std::int64_t kPageTokens = 64;
inline constexpr int kMostKeyVersions = 2;  ///< rotations of a key that are kept side by side

struct HeadShape {
  std::int64_t heads = 0;     ///< H; head h reads key head h / (H / G)
  std::int64_t kv_heads = 0;  ///< G
  std::int64_t head_dim = 0;  ///< D
  int key_versions = 1;       ///< of each key that are kept, 1 .. kMostKeyVersions
};

/// Keys [G, 64 / P, D, P] and values [G, ceil(D / P), 64, P] of 64 tokens in panels of P numbers,
/// so that both products of attention read panels.
struct KeyValuePage {
  std::array<const float*, kMostKeyVersions> keys{};  ///< by version; null for those not kept
  const float* values = nullptr;
  const std::uint8_t* is_finite = nullptr;  ///< 0: a value is NaN or infinite
};

/// Room for tokens [first, first + capacity) of a sequence. Tokens may be written by several
/// threads at once, each its own.
class KeyValuePages {
 public:
  KeyValuePages(const HeadShape& shape, std::int64_t first, std::int64_t capacity);

  /// Numbers that pages of `capacity` tokens from `first` on take: whoever plans memory counts with
  /// this, for a value is padded to whole panels, and they are wider with AVX-512.
  [[nodiscard]] static std::int64_t floats(const HeadShape& shape, std::int64_t first,
                                           std::int64_t capacity);
  /// The same for panels of `panel` numbers.
  [[nodiscard]] static std::int64_t floats(const HeadShape& shape, std::int64_t first,
                                           std::int64_t capacity, std::int64_t panel);

  /// Puts keys [count, G, D], rotated as `version` asks, at tokens from `token` on, which have
  /// room.
  void write_keys(std::int64_t token, int version, const ConstRows& keys);

  /// The same of values [count, G, D].
  void write_values(std::int64_t token, const ConstRows& values);

  /// Takes over the tokens of its page that lie before `first`, in the versions that it has.
  void copy_begin(const KeyValuePage& page);

  /// Whether tokens before `first` share the first page.
  [[nodiscard]] bool begins_inside_page() const { return first_ % kPageTokens != 0; }

  [[nodiscard]] std::int64_t first_page() const { return first_ / kPageTokens; }

  /// Page `index` of the sequence, at least first_page().
  [[nodiscard]] KeyValuePage page(std::int64_t index) const;

 private:
  [[nodiscard]] std::int64_t place(std::int64_t page) const { return page - first_page(); }

  HeadShape shape_;
  std::int64_t first_;
  std::int64_t panel_;        // P
  std::int64_t value_width_;  // D rounded up to whole panels
  std::int64_t key_floats_;   // of a page and version
  std::int64_t value_floats_;
  std::array<AlignedArray<float>, kMostKeyVersions> keys_;
  AlignedArray<float> values_;
  std::unique_ptr<std::uint8_t[]> finite_;  // of each page
};

}  // namespace yardstick::models::kernels
