// Numbers out of tensor bytes. Expected values follow from IEEE 754's definitions of the formats.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/containers.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using checkpoint::DType;
using checkpoint::TensorView;
using testing::ElementsAre;
using testing::HasSubstr;

TensorView flat_view(DType dtype, const std::string& bytes) {
  const std::int64_t count = static_cast<std::int64_t>(bytes.size()) / checkpoint::size_of(dtype);
  return {.name = "w",
          .dtype = dtype,
          .shape = {count},
          .strides = {1},
          .storage = as_bytes(bytes),
          .file = "file"};
}

float half(std::uint16_t bits) {
  const std::string bytes = little(bits, 2);
  return to_floats(flat_view(DType::kFloat16, bytes)).at(0);
}

TEST(Elements, HalfPrecisionIsExactOverItsWholeRange) {
  EXPECT_EQ(half(0x3c00), 1.0F);
  EXPECT_EQ(half(0xc000), -2.0F);
  EXPECT_EQ(half(0x7bff), 65504.0F);
  EXPECT_EQ(half(0x0400), std::ldexp(1.0F, -14));  // smallest normal number
  EXPECT_EQ(half(0x0001), std::ldexp(1.0F, -24));  // smallest subnormal number
  EXPECT_EQ(half(0x83ff), -std::ldexp(1023.0F, -24));
  EXPECT_EQ(half(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(half(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half(0x7e00)));
  EXPECT_TRUE(std::signbit(half(0x8000)));
}

// OCP 8-bit floating point, E4M3: (-1)^s 2^(e-7) (1 + f/8), or 2^-6 f/8 for e = 0; only the two
// codes with all other bits set are NaN, and there is no infinity.
TEST(Elements, EveryCodeOfE4M3IsExact) {
  std::string bytes;
  for (int code = 0; code < 256; ++code) bytes.push_back(static_cast<char>(code));
  const std::vector<float> values = to_floats(flat_view(DType::kFloat8E4M3, bytes));
  ASSERT_EQ(values.size(), 256U);
  for (int code = 0; code < 256; ++code) {
    const float value = values[static_cast<std::size_t>(code)];
    const int exponent = code >> 3 & 0xf;
    const int fraction = code & 7;
    EXPECT_EQ(std::signbit(value), code >= 128) << code;
    if ((code & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(value)) << code;
      continue;
    }
    const double expected =
        exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    EXPECT_EQ(std::abs(value), expected) << code;
  }
  EXPECT_EQ(values[0x7e], 448.0F);  // the largest number
}

// E5M2: (-1)^s 2^(e-15) (1 + f/4), or 2^-14 f/4 for e = 0; e = 31 is infinity (f = 0) and NaN.
TEST(Elements, EveryCodeOfE5M2IsExact) {
  std::string bytes;
  for (int code = 0; code < 256; ++code) bytes.push_back(static_cast<char>(code));
  const std::vector<float> values = to_floats(flat_view(DType::kFloat8E5M2, bytes));
  for (int code = 0; code < 256; ++code) {
    const float value = values[static_cast<std::size_t>(code)];
    const int exponent = code >> 2 & 0x1f;
    const int fraction = code & 3;
    EXPECT_EQ(std::signbit(value), code >= 128) << code;
    if (exponent == 31) {
      EXPECT_EQ(std::isinf(value), fraction == 0) << code;
      EXPECT_EQ(std::isnan(value), fraction != 0) << code;
      continue;
    }
    const double expected =
        exponent == 0 ? std::ldexp(fraction, -16) : std::ldexp(4 + fraction, exponent - 17);
    EXPECT_EQ(std::abs(value), expected) << code;
  }
  EXPECT_EQ(values[0x7b], 57344.0F);  // the largest number
}

TEST(Elements, EveryCodeOfHalfPrecisionIsExact) {
  std::string bytes;
  for (std::uint64_t code = 0; code < 0x10000; ++code) bytes += little(code, 2);
  const std::vector<float> values = to_floats(flat_view(DType::kFloat16, bytes));
  for (int code = 0; code < 0x8000; ++code) {
    const float value = values[static_cast<std::size_t>(code)];
    const float negative = values[static_cast<std::size_t>(code | 0x8000)];
    const int exponent = code >> 10;
    const int fraction = code & 0x3ff;
    if (exponent == 31) {
      ASSERT_EQ(std::isinf(value), fraction == 0) << code;
      ASSERT_EQ(std::isnan(value), fraction != 0) << code;
      continue;
    }
    const double expected =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(value, expected) << code;
    ASSERT_EQ(negative, -expected) << code;
  }
}

// A grid of 2 x 3 rows of 2 numbers, the 3 outermost in the storage.
TEST(Elements, AGridReadsRowsInItsOwnOrder) {
  std::string bytes;
  for (int i = 0; i < 12; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  TensorView view = flat_view(DType::kFloat32, bytes);
  view.shape = {6, 2};
  view.grid = {2, 3, 2};
  view.strides = {2, 4, 1};
  EXPECT_FALSE(view.is_contiguous());
  EXPECT_EQ(view.bytes().size(), bytes.size());
  EXPECT_THAT(to_floats(view), ElementsAre(0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11));
}

TEST(Elements, Q8BlocksAreReadFromAnyElementOn) {
  std::string bytes;
  for (int block = 0; block < 2; ++block) {
    bytes += little(block == 0 ? 0x3c00 : 0xc000, 2);  // 1 and -2
    for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<char>(i - 16));
  }
  TensorView view{.name = "w",
                  .dtype = DType::kQ8_0,
                  .shape = {34},
                  .strides = {1},
                  .storage = as_bytes(bytes),
                  .offset = 30,
                  .file = "file"};
  const std::vector<float> values = to_floats(view);
  EXPECT_EQ(values[0], 14.0F);
  EXPECT_EQ(values[1], 15.0F);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(values[static_cast<std::size_t>(2 + i)], -2 * (i - 16));
  EXPECT_EQ(view.bytes().size(), 68U);
}

TEST(Elements, DoublesAreRoundedToTheNearestFloat) {
  const double third = 1.0 / 3.0;
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &third, 8);
  EXPECT_THAT(to_floats(flat_view(DType::kFloat64, bytes)), ElementsAre(1.0F / 3.0F));
}

TEST(Elements, IntegersAreRefusedByTheirTensorsName) {
  const std::string bytes(8, '\1');
  const std::string message =
      error_message([&] { static_cast<void>(to_floats(flat_view(DType::kInt64, bytes))); });
  EXPECT_THAT(message, HasSubstr("file: tensor 'w' holds I64"));
}

TEST(Elements, UnalignedBytesAreRead) {
  const float value = 1.25F;
  std::string bytes(5, '\0');
  std::memcpy(bytes.data() + 1, &value, 4);
  TensorView view = flat_view(DType::kFloat32, bytes);
  view.storage = view.storage.subspan(1);
  view.shape = {1};
  EXPECT_THAT(to_floats(view), ElementsAre(1.25F));
}

std::uint16_t bfloat16(float value) {
  const std::vector<std::byte> bytes = checkpoint::to_bfloat16_bytes(std::span(&value, 1));
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data(), 2);
  return bits;
}

TEST(Elements, Bfloat16RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(bfloat16(1.0F), 0x3f80);
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // tie, even below
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f818000U)), 0x3f82);  // tie, even above
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x3f807fffU)), 0x3f80);
  EXPECT_EQ(bfloat16(-0.0F), 0x8000);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()), 0x7f80);  // rounds up to infinity
}

TEST(Elements, Bfloat16KeepsNanWhicheverOfItsBitsAreCutOff) {
  for (const std::uint32_t bits : {0x7fc00000U, 0x7f800001U, 0xff80ffffU, 0xffffffffU}) {
    const std::uint16_t rounded = bfloat16(std::bit_cast<float>(bits));
    EXPECT_EQ(rounded & 0x7f80, 0x7f80) << std::hex << bits;
    EXPECT_NE(rounded & 0x007f, 0) << std::hex << bits;
  }
}

TEST(Elements, Bfloat16GoesThroughFloatsAndBackUnchanged) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7f80) == 0x7f80 && (bits & 0x7f) != 0) continue;  // NaN: above
    const std::string bytes = little(bits, 2);
    const float value = to_floats(flat_view(DType::kBFloat16, bytes)).at(0);
    ASSERT_EQ(bfloat16(value), bits);
  }
}

}  // namespace
}  // namespace yardstick::test
