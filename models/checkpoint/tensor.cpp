// Names of dtypes and plain questions about views.
#include "models/checkpoint/tensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::checkpoint {

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return "F64";
    case DType::kFloat32: return "F32";
    case DType::kFloat16: return "F16";
    case DType::kBFloat16: return "BF16";
    case DType::kInt64: return "I64";
    case DType::kInt32: return "I32";
    case DType::kInt16: return "I16";
    case DType::kInt8: return "I8";
    case DType::kUInt8: return "U8";
    case DType::kBool: return "BOOL";
  }
  throw Error(ErrorKind::kInternal, "a dtype outside its enumeration");
}

std::int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kInt64: return 8;
    case DType::kFloat32:
    case DType::kInt32: return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kInt16: return 2;
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool: return 1;
  }
  throw Error(ErrorKind::kInternal, "a dtype outside its enumeration");
}

std::int64_t TensorView::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

std::span<const std::byte> TensorView::bytes() const {
  if (element_count() == 0) return {};
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  const std::int64_t size = size_of(dtype);
  return storage.subspan(static_cast<std::size_t>(offset * size),
                         static_cast<std::size_t>((last + 1) * size));
}

bool TensorView::is_contiguous() const {
  if (element_count() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string out;
  for (const std::int64_t dim : shape) out += fmt::format("{}{}", out.empty() ? "" : ", ", dim);
  return "[" + out + "]";
}

const TensorView* find_tensor(const TensorSource& source, std::string_view name) {
  const std::span<const TensorView> tensors = source.tensors();
  const auto it = std::lower_bound(
      tensors.begin(), tensors.end(), name,
      [](const TensorView& tensor, std::string_view key) { return tensor.name < key; });
  return it != tensors.end() && it->name == name ? &*it : nullptr;
}

}  // namespace yardstick::checkpoint
