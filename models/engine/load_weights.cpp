// Slots of an architecture, read as tensors.
#include "models/engine/load_weights.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

std::optional<at::ScalarType> float_type(checkpoint::DType dtype) {
  switch (dtype) {
    case checkpoint::DType::kFloat64: return at::kDouble;
    case checkpoint::DType::kFloat32: return at::kFloat;
    case checkpoint::DType::kFloat16: return at::kHalf;
    case checkpoint::DType::kBFloat16: return at::kBFloat16;
    default: return std::nullopt;
  }
}

/// The numbers of a view that torch cannot address: of another encoding, in another order of rows,
/// or unaligned. F16 and BF16 stay what they are, other formats become `dtype`.
at::Tensor copy_of(const checkpoint::TensorView& view, c10::ScalarType dtype) {
  at::Tensor copy = at::empty(view.shape, at::kFloat);
  read_floats(view, std::span(copy.data_ptr<float>(), static_cast<std::size_t>(copy.numel())));
  const bool is_half_width =
      view.dtype == checkpoint::DType::kFloat16 || view.dtype == checkpoint::DType::kBFloat16;
  return copy.to(is_half_width ? *float_type(view.dtype) : dtype);
}

/// The view as a tensor over the mapped bytes where torch can address it, else a copy, for which
/// the mapped bytes are given back.
at::Tensor as_tensor(const checkpoint::TensorSource& source, const checkpoint::TensorView& view,
                     c10::ScalarType dtype) {
  if (!checkpoint::is_floating(view.dtype)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {} holds {} numbers; expected floating point", view.file,
                            view.name, checkpoint::to_string(view.dtype)));
  }
  const std::optional<at::ScalarType> type = float_type(view.dtype);
  if (type && view.grid.empty()) {
    const std::int64_t size = checkpoint::size_of(view.dtype);
    const std::byte* first = view.storage.data() + view.offset * size;
    if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) == 0) {
      // from_blob takes a pointer to non-const, but nothing here writes to weights.
      return at::from_blob(const_cast<std::byte*>(first), view.shape, view.strides,
                           at::TensorOptions().dtype(*type));
    }
  }
  at::Tensor copy = copy_of(view, dtype);
  source.release(view);
  return copy;
}

bool is_matrix(const TensorSlot& slot) { return slot.shape.size() == 2; }

/// Tables whose rows the decoder reads as they stand.
bool is_table(const TensorSlot& slot) {
  return slot.name.starts_with("embed.") || slot.name.starts_with("positions.");
}

}  // namespace

Weights load_weights(const ModelFolder& folder, c10::Device device, c10::ScalarType dtype) {
  Weights weights;
  at::Tensor source;  // of the last slot: the parts of a fused matrix share one
  std::string source_name;
  for (const TensorSlot& slot : folder.slots()) {
    if (slot.name.find(".fope.") != std::string::npos) continue;  // the encoding holds these
    const checkpoint::TensorView* view = checkpoint::find_tensor(folder.tensors(), slot.source);
    check(view != nullptr && view->shape == slot.source_shape,
          "a model folder's slots were checked when it was opened");
    if (slot.source != source_name) source = as_tensor(folder.tensors(), *view, dtype);
    source_name = slot.source;
    at::Tensor tensor = source;
    if (slot.shape != slot.source_shape) tensor = tensor.narrow(0, slot.row_begin, slot.shape[0]);
    if (device.is_cpu() && dtype != at::kHalf && is_matrix(slot)) {
      // The decoder packs matrices, converting one at a time; of tables it reads single rows.
      weights[slot.name] = is_table(slot) ? tensor.to(dtype) : tensor;
      continue;
    }
    const bool is_norm = slot.name.find("norm") != std::string::npos;
    weights[slot.name] = tensor.to(device, is_norm ? at::kFloat : dtype, false, true);
  }
  return weights;
}

void release_weight(const ModelFolder& folder, const std::string& name) {
  for (const TensorSlot& slot : folder.slots()) {
    if (slot.name != name) continue;
    if (const auto* view = checkpoint::find_tensor(folder.tensors(), slot.source))
      folder.tensors().release(*view);
  }
}

}  // namespace yardstick::models
