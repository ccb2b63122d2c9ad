// Slots of an architecture, read as tensors.
#include "models/engine/load_weights.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>
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

/// Matrices that the decoder packs into its own layout need no copy before that.
bool is_packed(const TensorSlot& slot) {
  return slot.shape.size() == 2 && !slot.name.starts_with("embed.") &&
         !slot.name.starts_with("positions.");
}

}  // namespace

Weights load_weights(const ModelFolder& folder, c10::Device device, c10::ScalarType dtype) {
  Weights weights;
  for (const TensorSlot& slot : folder.slots()) {
    if (slot.name.find(".fope.") != std::string::npos) continue;  // the encoding holds these
    const checkpoint::TensorView* view = checkpoint::find_tensor(folder.tensors(), slot.source);
    check(view != nullptr && view->shape == slot.source_shape,
          "a model folder's slots were checked when it was opened");
    at::Tensor tensor = as_tensor(*view);
    if (slot.shape != slot.source_shape) tensor = tensor.narrow(0, slot.row_begin, slot.shape[0]);
    const bool is_norm = slot.name.find("norm") != std::string::npos;
    const at::ScalarType type = is_norm ? at::kFloat : dtype;
    const bool copies = !(device.is_cpu() && is_packed(slot));
    weights[slot.name] = tensor.to(device, type, false, copies);
  }
  return weights;
}

}  // namespace yardstick::models
