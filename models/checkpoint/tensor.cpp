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
    case DType::kFloat8E4M3: return "F8_E4M3";
    case DType::kFloat8E5M2: return "F8_E5M2";
    case DType::kQ8_0: return "Q8_0";
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
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool: return 1;
    case DType::kQ8_0: throw Error(ErrorKind::kInternal, "an element of Q8_0 has no size");
  }
  throw Error(ErrorKind::kInternal, "a dtype outside its enumeration");
}

bool is_floating(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kFloat32:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
    case DType::kQ8_0: return true;
    default: return false;
  }
}

std::optional<std::int64_t> byte_count(DType dtype, std::int64_t elements) {
  if (elements < 0) return std::nullopt;
  std::int64_t units = elements;
  std::int64_t unit_bytes = kQ8BlockBytes;
  if (dtype != DType::kQ8_0) {
    unit_bytes = size_of(dtype);
  } else if (elements % kQ8BlockElements != 0) {
    return std::nullopt;
  } else {
    units = elements / kQ8BlockElements;
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(units, unit_bytes, &bytes)) return std::nullopt;
  return bytes;
}

std::int64_t element_capacity(DType dtype, std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  return dtype == DType::kQ8_0 ? size / kQ8BlockBytes * kQ8BlockElements : size / size_of(dtype);
}

std::int64_t TensorView::element_count() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

std::span<const std::byte> TensorView::bytes() const {
  if (element_count() == 0) return {};
  const std::span<const std::int64_t> sizes = stride_sizes();
  std::int64_t last = offset;
  for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
  const bool blocks = dtype == DType::kQ8_0;
  const std::int64_t unit = blocks ? kQ8BlockElements : 1;
  const std::int64_t size = blocks ? kQ8BlockBytes : size_of(dtype);
  const std::int64_t begin = offset / unit * size;
  return storage.subspan(static_cast<std::size_t>(begin),
                         static_cast<std::size_t>((last / unit + 1) * size - begin));
}

bool TensorView::is_contiguous() const {
  if (element_count() == 0) return true;
  const std::span<const std::int64_t> sizes = stride_sizes();
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
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
