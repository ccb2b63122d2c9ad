#include "models/checkpoint/gguf/tensors.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/checkpoint/layout.hpp"

namespace yardstick::checkpoint::gguf {
namespace {

constexpr std::string_view kHead = "output.weight";

/// A tensor's name taken apart: "blk.3.attn_q.weight" is layer 3, part "attn_q", ending ".weight".
struct Parts {
  std::int64_t layer = -1;
  std::string_view part;
  std::string_view ending;
};

std::optional<Parts> take_apart(std::string_view name) {
  Parts parts{.part = name};
  for (const std::string_view ending : {".weight", ".bias"}) {
    if (name.ends_with(ending)) parts.ending = ending;
  }
  parts.part.remove_suffix(parts.ending.size());
  constexpr std::string_view kLayer = "blk.";
  if (!parts.part.starts_with(kLayer)) return parts;
  parts.part.remove_prefix(kLayer.size());
  const char* const end = parts.part.data() + parts.part.size();
  const auto [next, error] = std::from_chars(parts.part.data(), end, parts.layer);
  if (error != std::errc{} || next == end || *next != '.' || parts.layer < 0) return std::nullopt;
  parts.part.remove_prefix(static_cast<std::size_t>(next + 1 - parts.part.data()));
  return parts;
}

/// Hugging Face's name and the row order of a tensor.
struct Place {
  std::string name;
  Order order = Order::kSame;
};

Place find_place(const File& file, const Tensor& tensor, const Family& family, const Dims& dims) {
  const std::optional<Parts> parts = take_apart(tensor.name);
  if (parts && parts->layer >= dims.layers) {
    throw tensor_error(file.name, tensor.name,
                       fmt::format("is of layer {}, but {}.block_count is {}", parts->layer,
                                   family.architecture, dims.layers));
  }
  if (parts && !parts->ending.empty()) {
    const bool is_inner = parts->layer >= 0;
    for (const Name& name : is_inner ? family.inner : family.outer) {
      if (name.gguf != parts->part) continue;
      const std::string prefix =
          is_inner ? fmt::format("{}{}.", family.layers, parts->layer) : std::string();
      return {fmt::format("{}{}{}", prefix, name.hf, parts->ending), name.order};
    }
  }
  throw tensor_error(file.name, tensor.name,
                     fmt::format("is not one that a {} model has; it may change the numbers, so it "
                                 "is not ignored",
                                 family.architecture));
}

/// Refuses a first dimension that is not `rows`.
void check_rows(const File& file, const Tensor& tensor, std::int64_t rows, std::string_view why) {
  if (!tensor.shape.empty() && tensor.shape[0] == rows) return;
  throw tensor_error(
      file.name, tensor.name,
      fmt::format("is {}, expected {} rows: {}", shape_text(tensor.shape), rows, why));
}

// In the file, row (head, j, i) is number i of pair j; wanted is row (head, i, j).
void unpair(const File& file, const Tensor& tensor, std::int64_t heads, const Dims& dims,
            TensorView& view) {
  check_rows(file, tensor, heads * dims.head_dim, "heads x head size");
  if (dims.head_dim % 2 != 0) {
    throw tensor_error(file.name, tensor.name,
                       fmt::format("heads of odd size {} have no rotary pairs", dims.head_dim));
  }
  const std::int64_t row = view.strides[0];
  view.grid = {heads, 2, dims.head_dim / 2, row};
  view.strides = {dims.head_dim * row, row, 2 * row, 1};
}

// In the file, row (part, head, d) with part 0, 1, 2 for query, key, value; wanted (head, part, d).
void group_by_head(const File& file, const Tensor& tensor, const Dims& dims, TensorView& view) {
  check_rows(file, tensor, 3 * dims.heads * dims.head_dim, "3 x heads x head size");
  const std::int64_t row = view.strides[0];
  view.grid = {dims.heads, 3, dims.head_dim, row};
  view.strides = {dims.head_dim * row, dims.heads * dims.head_dim * row, row, 1};
}

void set_order(const File& file, const Tensor& tensor, Order order, const Dims& dims,
               TensorView& view) {
  switch (order) {
    case Order::kSame: return;
    case Order::kPairedQueries: return unpair(file, tensor, dims.heads, dims, view);
    case Order::kPairedKeys: return unpair(file, tensor, dims.kv_heads, dims, view);
    case Order::kByHead: return group_by_head(file, tensor, dims, view);
    case Order::kTransposed:
      std::ranges::reverse(view.shape);
      std::ranges::reverse(view.strides);
      return;
  }
}

}  // namespace

bool has_copied_head(const File& file) {
  const Tensor* const head = find_tensor(file, kHead);
  const Tensor* const embedding = find_tensor(file, "token_embd.weight");
  return head != nullptr && embedding != nullptr && head->dtype == embedding->dtype &&
         head->shape == embedding->shape && !head->data.empty() &&
         std::memcmp(head->data.data(), embedding->data.data(), head->data.size()) == 0;
}

std::vector<TensorView> make_views(const File& file, const Family& family, const Dims& dims) {
  const bool skips_head = has_copied_head(file);
  std::vector<TensorView> views;
  for (const Tensor& tensor : file.tensors) {
    if (std::ranges::find(family.consumed, tensor.name) != family.consumed.end()) continue;
    if (skips_head && tensor.name == kHead) continue;
    const Place place = find_place(file, tensor, family, dims);
    TensorView view{.name = place.name,
                    .dtype = tensor.dtype,
                    .shape = tensor.shape,
                    .strides = row_major_strides(tensor.shape),
                    .storage = tensor.data,
                    .file = file.name};
    set_order(file, tensor, place.order, dims, view);
    check_view(view);
    views.push_back(std::move(view));
  }
  sort_by_name(views);
  return views;
}

}  // namespace yardstick::checkpoint::gguf
