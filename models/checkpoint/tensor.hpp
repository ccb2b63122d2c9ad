// Tensors on disk, as views into mapped files: what every container reader gives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yardstick::checkpoint {

enum class DType {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kFloat8E4M3,  ///< 4 exponent bits, bias 7; no infinity, 0x7f and 0xff are NaN
  kFloat8E5M2,  ///< 5 exponent bits, bias 15; infinities and NaN as in IEEE 754
  kQ8_0,        ///< blocks of 32: a binary16 scale, then 32 int8 (GGUF)
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool
};

inline constexpr std::int64_t kQ8BlockElements = 32;
inline constexpr std::int64_t kQ8BlockBytes = 34;

/// "F32", "BF16", ... as safetensors spells them.
[[nodiscard]] std::string_view to_string(DType dtype);
[[nodiscard]] bool is_floating(DType dtype);  ///< whether to_floats() reads it

/// Bytes an element; not for kQ8_0, which has none of its own.
[[nodiscard]] std::int64_t size_of(DType dtype);
/// Bytes that `elements` take, or nothing if they are no whole blocks or exceed int64.
[[nodiscard]] std::optional<std::int64_t> byte_count(DType dtype, std::int64_t elements);
/// Whole elements that `bytes` hold.
[[nodiscard]] std::int64_t element_capacity(DType dtype, std::size_t bytes);

/// A strided view of one tensor. Reading it never leaves `storage` (checked when it was made).
struct TensorView {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements; may be 0 (expanded) or transposed
  /// The sizes that `strides` belong to, where rows stand in another order than the shape's: its
  /// elements in row-major order are the tensor's. Empty: the shape itself.
  std::vector<std::int64_t> grid;
  std::span<const std::byte> storage;  ///< the bytes the view lives in
  std::int64_t offset = 0;             ///< first element, in elements from storage's begin
  std::string file;                    ///< for messages

  [[nodiscard]] std::int64_t element_count() const;
  [[nodiscard]] std::span<const std::int64_t> stride_sizes() const {
    return grid.empty() ? shape : grid;
  }
  [[nodiscard]] bool is_contiguous() const;
  /// From the first to the last of its elements.
  [[nodiscard]] std::span<const std::byte> bytes() const;
};

/// "[2, 3]" for messages.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// The view's elements, row-major, as f32. Exact from F32, F16, BF16, F8; F64 is rounded; Q8_0 is
/// scale x integer, rounded to f32. @throws Error(kData) for an integer or bool tensor.
[[nodiscard]] std::vector<float> to_floats(const TensorView& view);
/// The same into `out`, which holds element_count() numbers.
void read_floats(const TensorView& view, std::span<float> out);

/// An opened checkpoint: all its tensors by name; keeps the files mapped. Immutable, thread-safe.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  /// All tensors, sorted by name.
  [[nodiscard]] virtual std::span<const TensorView> tensors() const = 0;

  /// Gives back the memory of a tensor's mapped bytes, which stay readable from the file.
  virtual void release(const TensorView& view) const = 0;

  /// Asked when all tensors have been read. @throws Error(kData) naming a file that shrank
  /// meanwhile.
  virtual void check_whole() const {}

  /// The files this source reads, in order, for fingerprints.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
};

/// The tensor called `name`, or nullptr.
[[nodiscard]] const TensorView* find_tensor(const TensorSource& source, std::string_view name);

}  // namespace yardstick::checkpoint
