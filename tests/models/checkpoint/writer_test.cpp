// What is written is a safetensors file to any reader: length, JSON, aligned data.
#include <bit>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "models/checkpoint/containers.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using checkpoint::DType;
using checkpoint::TensorToWrite;
using testing::ElementsAre;
using testing::HasSubstr;

TensorToWrite floats(std::string name, std::vector<std::int64_t> shape,
                     const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {std::move(name), DType::kFloat32, std::move(shape), std::move(bytes)};
}

TEST(SafetensorsWriter, WhatIsWrittenIsReadBackBitForBit) {
  const TemporaryFolder folder;
  const std::vector<float> halves = {1.0F, -2.5F, 3.0F};
  checkpoint::write_safetensors(
      folder / "m.safetensors",
      {{"z.half", DType::kBFloat16, {3}, checkpoint::to_bfloat16_bytes(halves)},
       floats("a \"quoted\" \xc3\xa4", {2, 1}, {0.1F, -0.0F}),
       floats("scalar", {}, {7.0F}),
       floats("empty", {0, 4}, {})},
      {{"format", "pt"}, {"made by", "a test"}});
  const auto source = checkpoint::open_safetensors(folder / "m.safetensors");
  ASSERT_EQ(source->tensors().size(), 4U);
  EXPECT_THAT(to_floats(*find_tensor(*source, "z.half")), ElementsAre(1.0F, -2.5F, 3.0F));
  const auto odd = to_floats(*find_tensor(*source, "a \"quoted\" \xc3\xa4"));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(odd.at(0)), std::bit_cast<std::uint32_t>(0.1F));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(odd.at(1)), 0x80000000U);
  EXPECT_THAT(to_floats(*find_tensor(*source, "scalar")), ElementsAre(7.0F));
  EXPECT_TRUE(to_floats(*find_tensor(*source, "empty")).empty());
}

TEST(SafetensorsWriter, LayoutFollowsTheFormat) {
  const TemporaryFolder folder;
  checkpoint::write_safetensors(folder / "m.safetensors",
                                {floats("b", {1}, {1.0F}), floats("a", {1}, {2.0F})},
                                {{"format", "pt"}});
  const std::string bytes = read_file(folder / "m.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes.size(), 8 + length + 8);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header, nlohmann::json::parse(
                        R"({"__metadata__":{"format":"pt"},
                            "b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
                            "a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"));
}

TEST(SafetensorsWriter, OurOwnMistakesAreCaughtBeforeTheFileIsTouched) {
  const TemporaryFolder folder;
  const auto write = [&](std::vector<TensorToWrite> tensors) {
    return error_message(
        [&] { checkpoint::write_safetensors(folder / "m.safetensors", std::move(tensors), {}); });
  };
  EXPECT_THAT(write({floats("a", {3}, {1.0F})}), HasSubstr("bytes match its shape"));
  EXPECT_THAT(write({floats("a", {1}, {1.0F}), floats("a", {1}, {1.0F})}),
              HasSubstr("written once"));
  EXPECT_THAT(write({floats("__metadata__", {1}, {1.0F})}), HasSubstr("metadata's key"));
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
}

}  // namespace
}  // namespace yardstick::test
