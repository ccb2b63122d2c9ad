// The container of GGUF files: each defect has one file, and each is refused with the place and the
// numbers that disagree. Layout from the specification of the ggml project.
#include "models/checkpoint/gguf/file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/gguf.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/gguf_file.hpp"

namespace yardstick::test {
namespace {

using checkpoint::DType;
using checkpoint::gguf::read_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& bytes) {
  return error_message([&] { static_cast<void>(read_file(as_bytes(bytes), "x.gguf")); });
}

std::string refusal(const GgufFile& file) { return refusal(file.bytes()); }

TEST(GgufContainer, VersionsTwoAndThreeAreReadAlike) {
  for (const std::uint32_t version : {2U, 3U}) {
    const std::string bytes = GgufFile()
                                  .version(version)
                                  .text("a.text", "word")
                                  .texts("a.list", {"x", "", "yz"})
                                  .tensor("t", {2, 3}, GgufFile::kF32, std::string(24, '\1'))
                                  .tensor("u", {}, GgufFile::kBF16, "ab")
                                  .bytes();
    const auto file = read_file(as_bytes(bytes), "x");
    ASSERT_EQ(file.tensors.size(), 2U) << version;
    EXPECT_THAT(file.tensors[0].shape, ElementsAre(2, 3));
    EXPECT_EQ(file.tensors[0].dtype, DType::kFloat32);
    EXPECT_EQ(file.tensors[0].data.size(), 24U);
    EXPECT_EQ(file.tensors[1].dtype, DType::kBFloat16);
    EXPECT_EQ(file.tensors[1].data.size(), 2U);
    EXPECT_THAT(texts(file.metadata.at("a.list")), ElementsAre("x", "", "yz"));
  }
}

TEST(GgufContainer, OtherVersionsAndByteOrdersAreRefused) {
  EXPECT_THAT(refusal("GGML" + std::string(20, '\0')), HasSubstr("does not begin with 'GGUF'"));
  EXPECT_THAT(refusal(GgufFile().version(1)), HasSubstr("version 1"));
  EXPECT_THAT(refusal(GgufFile().version(4)), HasSubstr("version 4"));
  EXPECT_THAT(refusal(GgufFile().version(0x03000000)), HasSubstr("big-endian"));
}

TEST(GgufContainer, EveryCutIsRefused) {
  const std::string whole = gguf_llama().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("x.gguf")) << "cut to " << size;
  }
}

TEST(GgufContainer, CountsBeyondTheFileAreRefusedBeforeAnythingIsStored) {
  const std::string rest(64, '\0');
  for (const std::uint64_t count : {~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    EXPECT_THAT(refusal("GGUF" + little(3, 4) + little(count, 8) + little(0, 8) + rest),
                HasSubstr(fmt::format("{} tensors", count)));
    EXPECT_THAT(refusal("GGUF" + little(3, 4) + little(0, 8) + little(count, 8) + rest),
                HasSubstr(fmt::format("{} keys", count)));
    const std::string list = little(4, 4) + little(count, 8);
    EXPECT_THAT(refusal(GgufFile().add("k", 9, list)),
                AllOf(HasSubstr("'k'"), HasSubstr(std::to_string(count))));
    EXPECT_THAT(refusal(GgufFile().add("k", 8, little(count, 8))),
                HasSubstr(fmt::format("{} more bytes are needed", count)));
  }
}

TEST(GgufContainer, KeysAreRefusedByName) {
  EXPECT_THAT(refusal(GgufFile().u32("k", 1).u32("k", 1)),
              HasSubstr("'k' stands in the file twice"));
  EXPECT_THAT(refusal(GgufFile().add("k", 13, "abcd")), HasSubstr("'k' has the unknown type 13"));
  EXPECT_THAT(refusal(GgufFile().add("k", 9, little(9, 4) + little(0, 8))),
              HasSubstr("'k' is a list of lists"));
  EXPECT_THAT(refusal(GgufFile().u32("", 1)), HasSubstr("0 bytes long"));
  EXPECT_THAT(refusal(GgufFile().u32("\xff", 1)), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal(GgufFile().alignment(24).u32("a", 1)),
              HasSubstr("24; expected a power of two"));
  EXPECT_THAT(refusal(GgufFile().text("general.alignment", "x")), HasSubstr("not a uint32"));
}

TEST(GgufContainer, TensorsAreRefusedByName) {
  const std::string data(24, '\0');
  const auto tensor = [&](const std::vector<std::int64_t>& shape, std::uint32_t type) {
    return refusal(GgufFile().tensor("t", shape, type, data));
  };
  EXPECT_THAT(tensor({256}, GgufFile::kQ4K),
              AllOf(HasSubstr("'t'"), HasSubstr("Q4_K"), HasSubstr("--outtype")));
  EXPECT_THAT(tensor({6}, 99), HasSubstr("type 99"));
  EXPECT_THAT(tensor({1, 1, 1, 2, 3}, GgufFile::kF32), HasSubstr("5 dimensions"));
  EXPECT_THAT(tensor({-1}, GgufFile::kF32), HasSubstr("larger than any size"));
  EXPECT_THAT(tensor({1LL << 62, 1LL << 62}, GgufFile::kF32), HasSubstr("more than 2^63"));
  EXPECT_THAT(tensor({1LL << 40}, GgufFile::kF32), HasSubstr("cut short"));
  EXPECT_THAT(tensor({2, 16}, GgufFile::kQ8), HasSubstr("multiples of 32"));
  EXPECT_THAT(tensor({}, GgufFile::kQ8), HasSubstr("multiples of 32"));
  EXPECT_THAT(
      refusal(
          GgufFile().tensor("t", {6}, GgufFile::kF32, data).tensor("t", {6}, GgufFile::kF32, data)),
      HasSubstr("'t': stands in the file twice"));
}

TEST(GgufContainer, OffsetsThatDoNotTileTheDataAreRefused) {
  const std::string data(32, '\0');
  const auto second_at = [&](std::uint64_t offset) {
    return refusal(GgufFile()
                       .tensor("a", {8}, GgufFile::kF32, data)
                       .tensor_at("b", {8}, GgufFile::kF32, data, offset));
  };
  EXPECT_THAT(second_at(0), AllOf(HasSubstr("'b'"), HasSubstr("overlap")));
  EXPECT_THAT(second_at(16), HasSubstr("overlap"));
  EXPECT_THAT(second_at(64), HasSubstr("a gap"));
  EXPECT_THAT(second_at(~std::uint64_t{0}), HasSubstr("expected 32"));
  EXPECT_THAT(
      refusal(GgufFile().tensor("a", {8}, GgufFile::kF32, data).bytes() + std::string(33, 'x')),
      HasSubstr("33 bytes behind the last tensor"));
}

TEST(GgufContainer, AnotherAlignmentIsFollowed) {
  const std::string bytes = GgufFile()
                                .alignment(8)
                                .tensor("a", {1}, GgufFile::kF32, "abcd")
                                .tensor("b", {1}, GgufFile::kF32, "efgh")
                                .bytes();
  const auto file = read_file(as_bytes(bytes), "x");
  EXPECT_EQ(file.tensors[1].data.data() - file.tensors[0].data.data(), 8);
}

// Every byte of a whole model, tokenizer included, damaged in three ways: one Error or views that
// stay inside the file (the build with AddressSanitizer sees a read that does not).
TEST(GgufContainer, DamageAnywhereGivesAModelOrOneError) {
  const std::string whole = gguf_llama()
                                .text("tokenizer.ggml.model", "llama")
                                .texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "a", "b", "ab"})
                                .floats("tokenizer.ggml.scores", {0, 0, -3, -2, -1})
                                .ints("tokenizer.ggml.token_type", {2, 3, 1, 1, 1})
                                .u32("tokenizer.ggml.bos_token_id", 1)
                                .bytes();
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char damage : {'\xff', '\x01', '\x80'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ damage);
      try {
        for (const auto& view : checkpoint::read_gguf(as_bytes(bytes), "x").tensors) {
          static_cast<void>(to_floats(view));
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace yardstick::test
