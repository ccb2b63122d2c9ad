// Malformed safetensors files: each defect of the issue tracker's list (users.md B-66, B-67, B-71)
// has one, and each is refused with the tensor and the numbers that disagree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/safetensors_header.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using testing::HasSubstr;

constexpr const char* kGood =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
    R"("b":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})";

std::string refusal_of(const std::string& bytes) {
  return error_message(
      [&] { static_cast<void>(checkpoint::read_safetensors(as_bytes(bytes), "x.safetensors")); });
}

std::string refusal(std::string_view header, std::size_t data_size) {
  return refusal_of(safetensors_file(header, data_size));
}

TEST(Safetensors, ViewsAreRowMajorAndSortedByName) {
  const std::string bytes = safetensors_file(kGood, 19);
  const auto views = checkpoint::read_safetensors(as_bytes(bytes), "x");
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].name, "a");
  EXPECT_THAT(views[0].strides, testing::ElementsAre(2, 1));
  EXPECT_EQ(views[1].storage.size(), 3U);
}

TEST(Safetensors, EveryCutIsRefused) {
  const std::string whole = safetensors_file(kGood, 19);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = refusal_of(whole.substr(0, size));
    EXPECT_THAT(message, HasSubstr("x.safetensors")) << "cut to " << size;
  }
}

TEST(Safetensors, HeaderLengthsBeyondTheFileOrTheFormatAreRefused) {
  for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{7},
                                     std::uint64_t{100'000'001}, std::uint64_t{60}}) {
    const std::string message = refusal_of(little(length, 8) + std::string(50, ' '));
    EXPECT_THAT(message, HasSubstr(std::to_string(length)));
  }
}

TEST(Safetensors, DuplicateKeysAreRefusedAtEveryLevel) {
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                      R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                      1),
              HasSubstr("'a': stands in the header twice"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1),
              HasSubstr("key 'dtype' stands twice"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
              HasSubstr("key 'k' stands twice"));
}

TEST(Safetensors, OverlapsGapsAndTrailingBytesAreRefused) {
  const auto two = [](std::string_view second) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],)"
           R"("data_offsets":)" +
           std::string(second) + "}}";
  };
  EXPECT_THAT(refusal(two("[2,6]"), 6), HasSubstr("'b'"));
  EXPECT_THAT(refusal(two("[0,4]"), 4), HasSubstr("overlap"));
  EXPECT_THAT(refusal(two("[5,9]"), 9), HasSubstr("gap"));
  EXPECT_THAT(refusal(two("[4,8]"), 9), HasSubstr("1 bytes"));
  EXPECT_THAT(refusal("{}", 1), HasSubstr("1 bytes"));
}

TEST(Safetensors, RangesThatDisagreeWithShapeDtypeOrFileAreRefused) {
  const auto one = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return R"({"w":{"dtype":")" + std::string(dtype) + R"(","shape":)" + std::string(shape) +
           R"(,"data_offsets":)" + std::string(offsets) + "}}";
  };
  EXPECT_THAT(refusal(one("F32", "[2]", "[0,4]"), 8), HasSubstr("8 bytes"));
  EXPECT_THAT(refusal(one("F32", "[2]", "[8,0]"), 8), HasSubstr("'w'"));
  EXPECT_THAT(refusal(one("F32", "[2]", "[0,8]"), 4), HasSubstr("'w'"));
  EXPECT_THAT(refusal(one("F32", "[9223372036854775807,9223372036854775807]", "[0,8]"), 8),
              HasSubstr("2^63"));
  EXPECT_THAT(refusal(one("F32", "[18446744073709551615]", "[0,8]"), 8),
              HasSubstr("larger than any size"));
  EXPECT_THAT(refusal(one("F32", "[-1]", "[0,8]"), 8), HasSubstr("negative number -1"));
  EXPECT_THAT(refusal(one("F32", "[2.0]", "[0,8]"), 8), HasSubstr("the number 2.0"));
  EXPECT_THAT(refusal(one("F32", "[[2]]", "[0,8]"), 8), HasSubstr("a list"));
  EXPECT_THAT(refusal(one("F32", "[2]", "[0]"), 8), HasSubstr("data_offsets has 1 numbers"));
  EXPECT_THAT(refusal(one("F8_E8M0", "[2]", "[0,2]"), 2), HasSubstr("'F8_E8M0' is not supported"));
  EXPECT_THAT(refusal(one("Q8_0", "[32]", "[0,34]"), 34), HasSubstr("'Q8_0' is not supported"));
  EXPECT_THAT(refusal(one("F8_E4M3", "[2]", "[0,4]"), 4), HasSubstr("needs 2 bytes"));
}

// 1.5 in every format: the codes follow from the formats' definitions.
TEST(Safetensors, EveryTensorHasADtypeOfItsOwn) {
  const std::string header = R"({"f64":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                             R"("f32":{"dtype":"F32","shape":[1],"data_offsets":[8,12]},)"
                             R"("f16":{"dtype":"F16","shape":[1],"data_offsets":[12,14]},)"
                             R"("bf16":{"dtype":"BF16","shape":[1],"data_offsets":[14,16]},)"
                             R"("e4m3":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[16,17]},)"
                             R"("e5m2":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[17,18]}})";
  const std::string bytes = little(header.size(), 8) + header + little(0x3ff8000000000000, 8) +
                            little(0x3fc00000, 4) + little(0x3e00, 2) + little(0x3fc0, 2) +
                            little(0x3c, 1) + little(0x3e, 1);
  const auto views = checkpoint::read_safetensors(as_bytes(bytes), "x");
  ASSERT_EQ(views.size(), 6U);
  for (const auto& view : views)
    EXPECT_THAT(to_floats(view), testing::ElementsAre(1.5F)) << view.name;
}

TEST(Safetensors, EmptyTensorsMayStandBetweenOthers) {
  const std::string bytes = safetensors_file(
      R"({"e":{"dtype":"F32","shape":[0,9223372036854775807,9223372036854775807],)"
      R"("data_offsets":[1,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
      R"("z":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      2);
  EXPECT_EQ(checkpoint::read_safetensors(as_bytes(bytes), "x").size(), 3U);
}

TEST(Safetensors, EntriesThatAreNotTensorsAreRefused) {
  EXPECT_THAT(refusal("[]", 0), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(refusal(R"({"a":1})", 0), HasSubstr("'a': is a number; expected an object"));
  EXPECT_THAT(refusal(R"({"a":{}})", 0), HasSubstr("'a': has no dtype"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","data_offsets":[0,0]}})", 0), HasSubstr("no shape"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","stride":[1]}})", 0),
              HasSubstr("unknown key 'stride'"));
  EXPECT_THAT(refusal(R"({"a":{"dtype":null}})", 0), HasSubstr("null"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":1}})", 0), HasSubstr("'k' is a number"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":{}}})", 0), HasSubstr("'k' is an object"));
  EXPECT_THAT(refusal("{} x", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("{\"\xff\":1}", 0), HasSubstr("not valid JSON"));
}

TEST(Safetensors, WhatStandsInTheirPlaceIsNamed) {
  EXPECT_THAT(refusal_of("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
              HasSubstr("x.safetensors: is a Git LFS pointer, not the weights"));
  EXPECT_THAT(refusal_of("\x1f\x8b\x08 and so on"), HasSubstr("is gzip data"));
  EXPECT_THAT(refusal_of("<!DOCTYPE html><title>404</title>"), HasSubstr("is a web page"));
}

TEST(Safetensors, DeepNestingIsRefusedAtItsFirstLevel) {
  EXPECT_THAT(refusal("{\"a\":" + std::string(1'000'000, '['), 0), HasSubstr("a list"));
}

TEST(Safetensors, NamesThatArePickledPythonAreRefusedWithWhatToDo) {
  const std::string message = refusal(R"({"gASVHAAAAAAAAACMBW1vZGVslIwDd3RllIaUiYaULg==":)"
                                      R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                                      1);
  EXPECT_THAT(message, HasSubstr("Python pickle in base64"));
  EXPECT_THAT(message, HasSubstr("plain names"));
}

}  // namespace
}  // namespace yardstick::test
