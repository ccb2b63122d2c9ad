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
