// Slots of an architecture, read as tensors.
#include "models/engine/load_weights.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
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

/// The view as a tensor over the mapped bytes, or a copy where the file left them unaligned.
at::Tensor as_tensor(const checkpoint::TensorView& view) {
  const std::optional<at::ScalarType> type = float_type(view.dtype);
  if (!type) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {} holds {} numbers; expected floating point", view.file,
                            view.name, checkpoint::to_string(view.dtype)));
  }
  const std::int64_t size = checkpoint::size_of(view.dtype);
  const std::byte* first = view.storage.data() + view.offset * size;
  if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) != 0)
    return at::tensor(checkpoint::to_floats(view)).view(view.shape);
  // from_blob takes a pointer to non-const, but nothing here writes to weights.
  return at::from_blob(const_cast<std::byte*>(first), view.shape, view.strides,
                       at::TensorOptions().dtype(*type));
}

bool is_held_by_encoding(const TensorSlot& slot) {
  return slot.name.find(".fope.") != std::string::npos ||
         slot.name.find(".position.") != std::string::npos;
}

/// The rows of the source that the slot names; copied only where several groups give some.
at::Tensor take_rows(const TensorSlot& slot, at::Tensor source) {
  if (slot.storage == TensorSlot::Storage::kTransposed) source = source.t();
  if (source.sizes() == at::IntArrayRef(slot.shape)) return source;
  if (slot.shape.size() != source.sizes().size()) return source.reshape(slot.shape);
  if (slot.groups == 1) return source.narrow(0, slot.row_begin, slot.shape[0]);
  return source.unflatten(0, {slot.groups, source.size(0) / slot.groups})
      .narrow(1, slot.row_begin, slot.shape[0] / slot.groups)
      .flatten(0, 1);
}

bool is_matrix(const TensorSlot& slot) { return slot.shape.size() == 2; }

/// Tables whose rows the decoder reads as they stand.
bool is_table(const TensorSlot& slot) {
  return slot.name.starts_with("embed.") || slot.name.starts_with("positions.");
}

}  // namespace

Weights load_weights(const ModelFolder& folder, c10::Device device, c10::ScalarType dtype) {
  Weights weights;
  for (const TensorSlot& slot : folder.slots()) {
    if (is_held_by_encoding(slot)) continue;
    const checkpoint::TensorView* view = checkpoint::find_tensor(folder.tensors(), slot.source);
    check(view != nullptr && view->shape == slot.source_shape,
          "a model folder's slots were checked when it was opened");
    at::Tensor tensor = take_rows(slot, as_tensor(*view));
    if (const auto begun = weights.find(slot.name); begun != weights.end()) {
      begun->second = at::cat({begun->second, tensor.to(begun->second.options())});
      continue;
    }
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
