#include "models/checkpoint/layout.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "models/checkpoint/byte_input.hpp"

namespace yardstick::checkpoint {
namespace {

// An expanded view (stride 0) may state more elements than it stores. Beyond this many the claim is
// not one that a weight makes, and reading it would allocate what the file never held.
constexpr std::int64_t kMaxExpandedElements = std::int64_t{1} << 28;

}  // namespace

std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> checked_count(std::span<const std::int64_t> shape) {
  std::optional<std::int64_t> count = 1;
  for (const std::int64_t size : shape) {
    count = checked_multiply(*count, size);
    if (!count) return std::nullopt;
  }
  return count;
}

std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    // A size of 0 empties the tensor; its strides are never used and must not wrap.
    strides[d - 1] = checked_multiply(strides[d], shape[d]).value_or(0);
  }
  return strides;
}

Error tensor_error(std::string_view file, std::string_view tensor, std::string_view message) {
  return Error(ErrorKind::kData,
               fmt::format("{}: tensor '{}': {}", file, printable(tensor), message));
}

void check_view(const TensorView& view) {
  const std::int64_t stored = element_capacity(view.dtype, view.storage.size());
  const std::span<const std::int64_t> sizes = view.stride_sizes();
  const auto fail = [&view](std::string_view message) {
    throw tensor_error(view.file, view.name, message);
  };
  if (sizes.size() != view.strides.size()) {
    fail(fmt::format("shape {} and strides {} differ in length", shape_text(sizes),
                     shape_text(view.strides)));
  }
  const std::optional<std::int64_t> count = checked_count(view.shape);
  if (!count) fail(fmt::format("shape {} is not possible", shape_text(view.shape)));
  if (checked_count(sizes) != count) {
    fail(fmt::format("{} elements are read as {}", shape_text(sizes), shape_text(view.shape)));
  }
  if (view.offset < 0 || view.offset > stored) {
    fail(fmt::format("starts at element {}, but its storage has {} elements", view.offset, stored));
  }
  if (*count == 0) return;
  std::optional<std::int64_t> last = view.offset;
  for (std::size_t d = 0; d < sizes.size() && last; ++d) {
    const std::optional<std::int64_t> reach = checked_multiply(sizes[d] - 1, view.strides[d]);
    last = reach ? checked_add(*last, *reach) : std::nullopt;
  }
  if (!last || *last >= stored) {
    fail(
        fmt::format("shape {} with strides {} from element {} reaches outside its storage of {} "
                    "elements; the file is damaged or was cut short",
                    shape_text(sizes), shape_text(view.strides), view.offset, stored));
  }
  if (*count > std::max(stored, kMaxExpandedElements)) {
    fail(fmt::format("shape {} repeats a storage of only {} elements; save it with .contiguous()",
                     shape_text(view.shape), stored));
  }
}

void MappedSource::release(const TensorView& view) const {
  for (const MappedFile& file : mapped_) file.release(view.bytes());
}

void MappedSource::check_whole() const {
  for (const MappedFile& file : mapped_) file.check_whole();
}

void sort_by_name(std::vector<TensorView>& views) {
  std::sort(views.begin(), views.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  const auto twin =
      std::adjacent_find(views.begin(), views.end(),
                         [](const TensorView& a, const TensorView& b) { return a.name == b.name; });
  if (twin == views.end()) return;
  const TensorView& second = *std::next(twin);
  throw tensor_error(second.file, second.name,
                     twin->file == second.file
                         ? std::string("stands in the file twice")
                         : fmt::format("stands in {} as well; remove one", twin->file));
}

}  // namespace yardstick::checkpoint
