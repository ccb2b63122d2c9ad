// Numbers out of tensor bytes and back: f64, f32, f16, bf16 to f32, and f32 to bf16.
// Bytes are little endian and may lie unaligned in their file, so they are copied, never cast.
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/checkpoint/containers.hpp"

namespace yardstick::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "containers are little endian, and are read without swapping bytes");

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits.
float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  if (exponent == 0x1f) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    return std::bit_cast<float>(sign | 0x7f800000u | (static_cast<std::uint32_t>(fraction) << 13));
  }
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

float read_f64(const std::byte* from) { return static_cast<float>(load<double>(from)); }
float read_f32(const std::byte* from) { return load<float>(from); }
float read_f16(const std::byte* from) { return from_half(load<std::uint16_t>(from)); }
float read_bf16(const std::byte* from) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from)) << 16);
}

/// Calls `take(offset)` with the element offset of every element, row-major.
template <typename Take>
void for_each_offset(const TensorView& view, Take take) {
  const std::int64_t count = view.element_count();
  const std::size_t rank = view.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t offset = view.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    take(offset);
    for (std::size_t d = rank; d-- > 0;) {
      offset += view.strides[d];
      if (++index[d] < view.shape[d]) break;
      offset -= view.strides[d] * view.shape[d];
      index[d] = 0;
    }
  }
}

template <float (*Read)(const std::byte*)>
std::vector<float> gather(const TensorView& view) {
  const auto size = static_cast<std::size_t>(size_of(view.dtype));
  const std::byte* base = view.storage.data();
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(view.element_count()));
  if (view.is_contiguous()) {
    const std::byte* from = base + static_cast<std::size_t>(view.offset) * size;
    const std::int64_t count = view.element_count();
    for (std::int64_t i = 0; i < count; ++i, from += size) values.push_back(Read(from));
  } else {
    for_each_offset(view, [&](std::int64_t offset) {
      values.push_back(Read(base + static_cast<std::size_t>(offset) * size));
    });
  }
  return values;
}

// Ties go to the even neighbour; a NaN stays a (quiet) NaN whichever of its bits survive.
std::uint16_t round_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  const std::uint32_t to_even = 0x7fffu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>((bits + to_even) >> 16);
}

}  // namespace

std::vector<float> to_floats(const TensorView& view) {
  switch (view.dtype) {
    case DType::kFloat64: return gather<read_f64>(view);
    case DType::kFloat32: return gather<read_f32>(view);
    case DType::kFloat16: return gather<read_f16>(view);
    case DType::kBFloat16: return gather<read_bf16>(view);
    default:
      throw Error(ErrorKind::kData,
                  fmt::format("{}: tensor '{}' holds {} elements; expected floating-point ones "
                              "(F64, F32, F16 or BF16)",
                              view.file, view.name, to_string(view.dtype)));
  }
}

std::vector<std::byte> to_bfloat16_bytes(std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::uint16_t));
  std::byte* to = bytes.data();
  for (const float value : values) {
    const std::uint16_t rounded = round_to_bfloat16(value);
    std::memcpy(to, &rounded, sizeof(rounded));
    to += sizeof(rounded);
  }
  return bytes;
}

}  // namespace yardstick::checkpoint
