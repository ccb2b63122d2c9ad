// Slots of an architecture, read as tensors.
#include "models/engine/load_weights.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <ATen/ops/cat.h>
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

/// The view as a tensor over the mapped bytes, or nothing where torch cannot address it.
std::optional<at::Tensor> mapped(const checkpoint::TensorView& view) {
  const std::optional<at::ScalarType> type = float_type(view.dtype);
  if (!type || !view.grid.empty()) return std::nullopt;
  const std::int64_t size = checkpoint::size_of(view.dtype);
  const std::byte* first = view.storage.data() + view.offset * size;
  if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) != 0)
    return std::nullopt;
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

WeightLoader::Source& WeightLoader::source_of(const TensorSlot& slot, c10::ScalarType dtype) {
  const auto found = sources_.find(slot.source);
  if (found != sources_.end()) return found->second;
  const checkpoint::TensorView* view = checkpoint::find_tensor(folder_.tensors(), slot.source);
  check(view != nullptr && view->shape == slot.source_shape,
        "a model folder's slots were checked when it was opened");
  if (!checkpoint::is_floating(view->dtype)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}: tensor {} holds {} numbers; expected floating point", view->file,
                            view->name, checkpoint::to_string(view->dtype)));
  }
  Source source;
  if (const std::optional<at::Tensor> tensor = mapped(*view)) {
    source.tensor = *tensor;
  } else {
    source.tensor = copy_of(*view, dtype);
    source.is_copy = true;
    folder_.tensors().release(*view);
  }
  return sources_.emplace(slot.source, std::move(source)).first->second;
}

Weights WeightLoader::load(c10::Device device, c10::ScalarType dtype) {
  Weights weights;
  for (const TensorSlot& slot : folder_.slots()) {
    if (is_held_by_encoding(slot)) continue;
    Source& source = source_of(slot, dtype);
    at::Tensor tensor = take_rows(slot, source.tensor);
    if (const auto begun = weights.find(slot.name); begun != weights.end()) {
      begun->second = at::cat({begun->second, tensor.to(begun->second.options())});
      continue;
    }
    if (device.is_cpu() && dtype != at::kHalf && is_matrix(slot) && !is_table(slot)) {
      // The decoder packs matrices, converting one at a time.
      weights[slot.name] = tensor;
      ++source.users;
      continue;
    }
    const bool is_norm = slot.name.find("norm") != std::string::npos;
    const bool is_row_table = device.is_cpu() && is_table(slot);  // single rows of it are read
    weights[slot.name] = is_row_table
                             ? tensor.to(dtype)
                             : tensor.to(device, is_norm ? at::kFloat : dtype, false, true);
    if (weights[slot.name].is_alias_of(source.tensor)) ++source.users;
  }
  // What was only read to be copied is not kept.
  std::erase_if(sources_, [](const auto& item) { return item.second.users == 0; });
  return weights;
}

void WeightLoader::release(const std::string& name) {
  for (const TensorSlot& slot : folder_.slots()) {
    if (slot.name != name) continue;
    const auto found = sources_.find(slot.source);
    if (found == sources_.end() || --found->second.users > 0) continue;
    if (found->second.is_copy) {
      found->second.tensor.storage().unsafeGetStorageImpl()->reset();
    } else {
      folder_.tensors().release(*checkpoint::find_tensor(folder_.tensors(), slot.source));
    }
    sources_.erase(found);
  }
}

}  // namespace yardstick::models
