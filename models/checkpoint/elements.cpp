// Numbers out of tensor bytes and back: every floating format to f32, and f32 to bf16.
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
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 0x1f ? 0xffu : exponent + 127 - 15;
  return std::bit_cast<float>(sign | (widened << 23) | (fraction << 13));
}

// 1 sign, 4 exponent (bias 7) and 3 fraction bits; all bits of the magnitude set is NaN, and the
// largest exponent is one of numbers. Source: OCP 8-bit Floating Point Specification, section 5.
float from_e4m3(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80u) << 24;
  const std::uint32_t exponent = (code >> 3) & 0xfu;
  const std::uint32_t fraction = code & 0x7u;
  if ((code & 0x7fu) == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-9F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - 7) << 23) | (fraction << 20));
}

struct Double {
  static float read(const std::byte* from) { return static_cast<float>(load<double>(from)); }
};
struct Single {
  static float read(const std::byte* from) { return load<float>(from); }
};
struct Half {
  static float read(const std::byte* from) { return from_half(load<std::uint16_t>(from)); }
};
struct Brain {
  static float read(const std::byte* from) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from)) << 16);
  }
};
struct E4M3 {
  static float read(const std::byte* from) { return from_e4m3(load<std::uint8_t>(from)); }
};
// The upper byte of a binary16 with the same sign and exponent.
struct E5M2 {
  static float read(const std::byte* from) {
    return from_half(static_cast<std::uint16_t>(load<std::uint8_t>(from) << 8));
  }
};

/// Elements first, first + 1, ... of a storage.
template <typename Element>
void read_run(const std::byte* storage, DType dtype, std::int64_t first, std::span<float> out) {
  const std::int64_t size = size_of(dtype);
  const std::byte* from = storage + first * size;
  for (float& value : out) {
    value = Element::read(from);
    from += size;
  }
}

void read_q8_run(const std::byte* storage, DType /*dtype*/, std::int64_t first,
                 std::span<float> out) {
  std::int64_t lane = first % kQ8BlockElements;
  const std::byte* block = storage + first / kQ8BlockElements * kQ8BlockBytes;
  for (std::size_t done = 0; done < out.size(); lane = 0, block += kQ8BlockBytes) {
    const float scale = Half::read(block);
    for (; lane < kQ8BlockElements && done < out.size(); ++lane, ++done) {
      out[done] = scale * static_cast<float>(load<std::int8_t>(block + 2 + lane));
    }
  }
}

using ReadRun = void (*)(const std::byte*, DType, std::int64_t, std::span<float>);

ReadRun reader_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: return read_run<Double>;
    case DType::kFloat32: return read_run<Single>;
    case DType::kFloat16: return read_run<Half>;
    case DType::kBFloat16: return read_run<Brain>;
    case DType::kFloat8E4M3: return read_run<E4M3>;
    case DType::kFloat8E5M2: return read_run<E5M2>;
    case DType::kQ8_0: return read_q8_run;
    default: return nullptr;
  }
}

/// How many innermost dimensions lie one element after another, and the elements of such a run.
struct Run {
  std::size_t outer = 0;  ///< dimensions that are left
  std::int64_t length = 1;
};

Run longest_run(const TensorView& view) {
  const std::span<const std::int64_t> sizes = view.stride_sizes();
  Run run{.outer = sizes.size()};
  while (run.outer > 0) {
    const std::size_t d = run.outer - 1;
    if (sizes[d] != 1 && view.strides[d] != run.length) break;
    run.length *= sizes[d];
    run.outer = d;
  }
  return run;
}

// Ties go to the even neighbour; a NaN stays a (quiet) NaN whichever of its bits survive.
std::uint16_t round_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  const std::uint32_t to_even = 0x7fffu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>((bits + to_even) >> 16);
}

}  // namespace

void read_floats(const TensorView& view, std::span<float> out) {
  const ReadRun read = reader_of(view.dtype);
  if (read == nullptr) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: tensor '{}' holds {} elements; expected floating-point ones "
                            "(F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or Q8_0)",
                            view.file, view.name, to_string(view.dtype)));
  }
  check(static_cast<std::int64_t>(out.size()) == view.element_count(), "every element has a place");
  if (out.empty()) return;
  const std::span<const std::int64_t> sizes = view.stride_sizes();
  const Run run = longest_run(view);
  const auto length = static_cast<std::size_t>(run.length);
  std::vector<std::int64_t> index(run.outer, 0);
  std::int64_t first = view.offset;
  for (std::size_t done = 0; done < out.size(); done += length) {
    read(view.storage.data(), view.dtype, first, out.subspan(done, length));
    for (std::size_t d = run.outer; d-- > 0;) {
      first += view.strides[d];
      if (++index[d] < sizes[d]) break;
      first -= view.strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

std::vector<float> to_floats(const TensorView& view) {
  std::vector<float> values(is_floating(view.dtype) ? static_cast<std::size_t>(view.element_count())
                                                    : 0);
  read_floats(view, values);
  return values;
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
