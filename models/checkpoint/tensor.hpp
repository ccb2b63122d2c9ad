// Tensors on disk, as views into mapped files: what every container reader gives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace yardstick::checkpoint {

enum class DType {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool
};

/// "F32", "BF16", ... as safetensors spells them.
[[nodiscard]] std::string_view to_string(DType dtype);
[[nodiscard]] std::int64_t size_of(DType dtype);  ///< bytes an element

/// A strided view of one tensor. Reading it never leaves `storage` (checked when it was made).
struct TensorView {
  std::string name;
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;   ///< in elements; may be 0 (expanded) or transposed
  std::span<const std::byte> storage;  ///< the bytes the view lives in
  std::int64_t offset = 0;             ///< first element, in elements from storage's begin
  std::string file;                    ///< for messages

  [[nodiscard]] std::int64_t element_count() const;
  [[nodiscard]] bool is_contiguous() const;
  /// From the first to the last of its elements.
  [[nodiscard]] std::span<const std::byte> bytes() const;
};

/// "[2, 3]" for messages.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// The view's elements, row-major, as f32. Exact from F32, F16, BF16; F64 is rounded.
/// @throws Error(kData) for an integer or bool tensor.
[[nodiscard]] std::vector<float> to_floats(const TensorView& view);

/// An opened checkpoint: all its tensors by name; keeps the files mapped. Immutable, thread-safe.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  /// All tensors, sorted by name.
  [[nodiscard]] virtual std::span<const TensorView> tensors() const = 0;

  /// Gives back the memory of a tensor's mapped bytes, which stay readable from the file.
  virtual void release(const TensorView& view) const = 0;

  /// The files this source reads, in order, for fingerprints.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
};

/// The tensor called `name`, or nullptr.
[[nodiscard]] const TensorView* find_tensor(const TensorSource& source, std::string_view name);

}  // namespace yardstick::checkpoint
