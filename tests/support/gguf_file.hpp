// A GGUF file written for tests, from the specification: version 3 unless told otherwise, little
// endian, tensors in the order given, each padded to the alignment.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardstick::test {

class GgufFile {
 public:
  enum : std::uint32_t { kF32 = 0, kF16 = 1, kQ4K = 12, kQ8 = 8, kBF16 = 30 };  // of tensors

  GgufFile& version(std::uint32_t value) { return version_ = value, *this; }
  GgufFile& alignment(std::uint32_t value) {
    alignment_ = value;
    return u32("general.alignment", value);
  }

  GgufFile& u32(std::string_view key, std::uint32_t value) { return add(key, 4, raw(value)); }
  GgufFile& f32(std::string_view key, float value) { return add(key, 6, raw(value)); }
  GgufFile& flag(std::string_view key, std::uint8_t value) { return add(key, 7, raw(value)); }
  GgufFile& text(std::string_view key, std::string_view value) {
    return add(key, 8, counted(value));
  }
  GgufFile& texts(std::string_view key, const std::vector<std::string>& values) {
    std::string items;
    for (const std::string& value : values) items += counted(value);
    return add(key, 9, raw<std::uint32_t>(8) + raw<std::uint64_t>(values.size()) + items);
  }
  GgufFile& floats(std::string_view key, const std::vector<float>& values) {
    return add(key, 9,
               raw<std::uint32_t>(6) + raw<std::uint64_t>(values.size()) + bytes_of(values));
  }
  GgufFile& ints(std::string_view key, const std::vector<std::int32_t>& values) {
    return add(key, 9,
               raw<std::uint32_t>(5) + raw<std::uint64_t>(values.size()) + bytes_of(values));
  }
  /// A key of any type with these bytes as its value.
  GgufFile& add(std::string_view key, std::uint32_t type, const std::string& value) {
    metadata_ += counted(key) + raw(type) + value;
    ++keys_;
    return *this;
  }

  /// `shape` slowest dimension first; the file holds it the other way round.
  GgufFile& tensor(std::string_view name, const std::vector<std::int64_t>& shape,
                   std::uint32_t type, const std::string& data) {
    return tensor_at(name, shape, type, data, aligned(data_.size()));
  }
  /// The same with a stated offset, right or wrong.
  GgufFile& tensor_at(std::string_view name, const std::vector<std::int64_t>& shape,
                      std::uint32_t type, const std::string& data, std::uint64_t offset) {
    entries_ += counted(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) entries_ += raw(shape[d]);
    entries_ += raw(type) + raw(offset);
    data_.resize(aligned(data_.size()), '\0');
    data_ += data;
    ++tensors_;
    return *this;
  }
  /// An f32 tensor whose element i, row-major, is value(i).
  GgufFile& matrix(std::string_view name, const std::vector<std::int64_t>& shape,
                   const std::function<float(std::int64_t)>& value) {
    const std::int64_t count =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
    return tensor(name, shape, kF32, bytes_of(values));
  }

  [[nodiscard]] std::string bytes() const {
    std::string out = "GGUF" + raw(version_) + raw(tensors_) + raw(keys_) + metadata_ + entries_;
    out.resize(aligned(out.size()), '\0');
    return out + data_;
  }

  template <typename T>
  static std::string raw(T value) {
    std::string out(sizeof(T), '\0');
    std::memcpy(out.data(), &value, sizeof(T));
    return out;
  }
  template <typename T>
  static std::string bytes_of(const std::vector<T>& values) {
    std::string out(values.size() * sizeof(T), '\0');
    std::memcpy(out.data(), values.data(), out.size());
    return out;
  }
  static std::string counted(std::string_view text) {
    return raw<std::uint64_t>(text.size()) + std::string(text);
  }

 private:
  [[nodiscard]] std::size_t aligned(std::size_t size) const {
    return (size + alignment_ - 1) / alignment_ * alignment_;
  }

  std::uint32_t version_ = 3;
  std::uint32_t alignment_ = 32;
  std::uint64_t keys_ = 0;
  std::uint64_t tensors_ = 0;
  std::string metadata_;
  std::string entries_;
  std::string data_;
};

/// Sizes of the small models below.
struct GgufSizes {
  std::int64_t vocabulary = 6;
  std::int64_t width = 8;
  std::int64_t mlp = 12;
  std::int64_t heads = 2;
  std::int64_t kv_heads = 1;
};

/// The keys that every architecture states.
inline GgufFile gguf_keys(std::string_view architecture, const GgufSizes& sizes = {}) {
  const std::string prefix = std::string(architecture) + ".";
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  GgufFile file;
  file.text("general.architecture", architecture)
      .u32(prefix + "context_length", 64)
      .u32(prefix + "embedding_length", u32(sizes.width))
      .u32(prefix + "block_count", 1)
      .u32(prefix + "feed_forward_length", u32(sizes.mlp))
      .u32(prefix + "attention.head_count", u32(sizes.heads));
  return file;
}

inline float small_number(std::int64_t i) { return std::sin(static_cast<float>(i) * 0.37F); }

/// A one-layer llama, tied, as the converter writes it, without a tokenizer; more keys may follow.
inline GgufFile gguf_llama(const GgufSizes& sizes = {}) {
  GgufFile file = gguf_keys("llama", sizes);
  file.u32("llama.attention.head_count_kv", static_cast<std::uint32_t>(sizes.kv_heads))
      .f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  const std::int64_t kv_width = sizes.width / sizes.heads * sizes.kv_heads;
  file.matrix("token_embd.weight", {sizes.vocabulary, sizes.width}, small_number)
      .matrix("blk.0.attn_norm.weight", {sizes.width}, small_number)
      .matrix("blk.0.attn_q.weight", {sizes.width, sizes.width}, small_number)
      .matrix("blk.0.attn_k.weight", {kv_width, sizes.width}, small_number)
      .matrix("blk.0.attn_v.weight", {kv_width, sizes.width}, small_number)
      .matrix("blk.0.attn_output.weight", {sizes.width, sizes.width}, small_number)
      .matrix("blk.0.ffn_norm.weight", {sizes.width}, small_number)
      .matrix("blk.0.ffn_gate.weight", {sizes.mlp, sizes.width}, small_number)
      .matrix("blk.0.ffn_up.weight", {sizes.mlp, sizes.width}, small_number)
      .matrix("blk.0.ffn_down.weight", {sizes.width, sizes.mlp}, small_number)
      .matrix("output_norm.weight", {sizes.width}, small_number);
  return file;
}

}  // namespace yardstick::test
