// torch.save files made by hand: records, checksums, bounds of views, which dict holds the weights.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "models/checkpoint/torch_file.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"

namespace yardstick::test {
namespace {

using checkpoint::TensorView;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFourFloats = little(0x3f800000, 4) + little(0x40000000, 4) +
                                little(0x40400000, 4) + little(0x40800000, 4);  // 1 2 3 4

std::string float_tensor(const pickled::View& view) {
  return pickled::tensor(pickled::storage("FloatStorage", "0", 4), view);
}

std::string square() { return float_tensor({.offset = 0, .shape = {2, 2}, .strides = {2, 1}}); }

std::string square_document() { return pickled::document(pickled::dict({{"w", square()}})); }

std::vector<TensorView> read(const std::string& bytes) {
  return checkpoint::read_torch_file(as_bytes(bytes), "m.pt");
}

std::string refusal(const std::string& bytes) {
  return error_message([&] { static_cast<void>(read(bytes)); });
}

std::string refusal_of_root(const std::string& root) {
  return refusal(torch_file(pickled::document(root), kFourFloats));
}

std::vector<std::string> names_of_root(const std::string& root) {
  const std::string bytes = torch_file(pickled::document(root), kFourFloats);
  std::vector<std::string> names;
  for (const TensorView& view : read(bytes)) names.push_back(view.name);
  return names;
}

TEST(TorchFile, ReadsPlainAndZip64Archives) {
  for (const ZipEnd end : {ZipEnd::kPlain, ZipEnd::kZip64}) {
    const std::string bytes = zip_file({{.name = "any root/data.pkl", .data = square_document()},
                                        {.name = "any root/data/0", .data = kFourFloats}},
                                       end);
    const auto views = read(bytes);
    ASSERT_EQ(views.size(), 1U);
    EXPECT_THAT(to_floats(views[0]), ElementsAre(1.0F, 2.0F, 3.0F, 4.0F));
  }
}

TEST(TorchFile, EveryCutIsRefused) {
  for (const ZipEnd end : {ZipEnd::kPlain, ZipEnd::kZip64}) {
    const std::string whole = zip_file({{.name = "m/data.pkl", .data = square_document()},
                                        {.name = "m/data/0", .data = kFourFloats}},
                                       end);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("m.pt")) << "cut to " << size;
    }
  }
}

TEST(TorchFile, EveryFlippedByteOfAUsedRecordIsFound) {
  const std::string whole = torch_file(square_document(), kFourFloats);
  const std::size_t data = whole.find(kFourFloats);
  for (std::size_t i = 0; i < kFourFloats.size(); ++i) {
    std::string damaged = whole;
    damaged[data + i] = static_cast<char>(damaged[data + i] ^ 0x10);
    EXPECT_THAT(refusal(damaged), HasSubstr("record 'm/data/0' has the checksum"));
  }
  std::string damaged = whole;
  damaged[whole.find("FloatStorage")] = 'f';
  EXPECT_THAT(refusal(damaged), HasSubstr("record 'm/data.pkl' has the checksum"));
}

TEST(TorchFile, AFlippedByteAnywhereNeverCrashes) {
  const std::string whole = torch_file(square_document(), kFourFloats);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      try {
        for (const TensorView& view : read(damaged)) static_cast<void>(to_floats(view));
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::kInternal) << "byte " << i << ": " << error.what();
      }
    }
  }
}

TEST(TorchFile, CompressedAndEncryptedRecordsAreRefusedByName) {
  const auto with = [](std::uint16_t method, std::uint16_t flags) {
    return zip_file({{.name = "m/data.pkl", .data = square_document()},
                     {.name = "m/data/0", .data = kFourFloats, .method = method, .flags = flags}});
  };
  EXPECT_THAT(refusal(with(8, 0)), HasSubstr("record 'm/data/0' is compressed (method 8)"));
  EXPECT_THAT(refusal(with(0, 1)), HasSubstr("record 'm/data/0' is encrypted"));
}

TEST(TorchFile, ArchivesThatAreNoStateDictAreRefused) {
  EXPECT_THAT(refusal(zip_file({{.name = "m/code.py", .data = "x"}})),
              HasSubstr("without a data.pkl"));
  EXPECT_THAT(refusal(zip_file({{.name = "a/data.pkl", .data = square_document()},
                                {.name = "b/data.pkl", .data = square_document()}})),
              HasSubstr("two pickles"));
  EXPECT_THAT(refusal(zip_file({{.name = "m/data.pkl", .data = square_document()},
                                {.name = "m/data.pkl", .data = square_document()}})),
              HasSubstr("record 'm/data.pkl' twice"));
  EXPECT_THAT(refusal(zip_file({{.name = "m/data.pkl", .data = square_document()}})),
              HasSubstr("no record 'm/data/0'"));
  EXPECT_THAT(refusal("hello"), HasSubstr("does not begin like a file of torch.save"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
}

TEST(TorchFile, OnlyLittleEndianFilesAreRead) {
  const auto with_order = [](const std::string& order) {
    return zip_file({{.name = "m/data.pkl", .data = square_document()},
                     {.name = "m/byteorder", .data = order},
                     {.name = "m/data/0", .data = kFourFloats}});
  };
  const std::string little_file = with_order("little");
  EXPECT_EQ(read(little_file).size(), 1U);
  EXPECT_THAT(refusal(with_order("big")), HasSubstr("byte order 'big'"));
}

TEST(TorchFile, ViewsAreBoundedByTheirStorage) {
  const auto refused = [](const pickled::View& view) {
    return refusal_of_root(pickled::dict({{"w", float_tensor(view)}}));
  };
  EXPECT_THAT(refused({.offset = 0, .shape = {5}, .strides = {1}}),
              HasSubstr("outside its storage"));
  EXPECT_THAT(refused({.offset = 1, .shape = {2, 2}, .strides = {2, 1}}),
              HasSubstr("outside its storage"));
  EXPECT_THAT(refused({.offset = 0, .shape = {2, 2}, .strides = {3, 1}}),
              HasSubstr("outside its storage"));
  EXPECT_THAT(refused({.offset = 5, .shape = {0}, .strides = {1}}),
              HasSubstr("starts at element 5"));
  EXPECT_THAT(refused({.offset = -1, .shape = {1}, .strides = {1}}),
              HasSubstr("starts at element -1"));
  EXPECT_THAT(refused({.offset = 0, .shape = {2}, .strides = {1, 1}}),
              HasSubstr("differ in length"));
  const std::int32_t large = 0x7fffffff;
  EXPECT_THAT(refused({.shape = {large, large, large}, .strides = {large, large, large}}),
              HasSubstr("is not possible"));
  EXPECT_THAT(refused({.shape = {large, large}, .strides = {0, 0}}),
              HasSubstr("repeats a storage"));
}

TEST(TorchFile, TransposedAndExpandedViewsAreReadInOrder) {
  const std::string bytes = torch_file(
      pickled::document(pickled::dict(
          {{"transposed", float_tensor({.shape = {2, 2}, .strides = {1, 2}})},
           {"expanded", float_tensor({.offset = 2, .shape = {2, 2}, .strides = {1, 0}})}})),
      kFourFloats);
  const auto views = read(bytes);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_THAT(to_floats(views[0]), ElementsAre(3.0F, 3.0F, 4.0F, 4.0F));
  EXPECT_THAT(to_floats(views[1]), ElementsAre(1.0F, 3.0F, 2.0F, 4.0F));
}

TEST(TorchFile, AStorageOfAnotherSizeThanThePickleSaysIsRefused) {
  EXPECT_THAT(refusal(torch_file(square_document(), kFourFloats + "x")),
              HasSubstr("record data/0 has 17 bytes, but the pickle says 4 x F32"));
}

TEST(TorchFile, NestedDictsGiveDottedNames) {
  const std::string inner = pickled::dict({{"w", square()}, {"b", square()}});
  EXPECT_THAT(names_of_root(pickled::dict({{"layer", inner}, {"head", square()}})),
              ElementsAre("head", "layer.b", "layer.w"));
  EXPECT_THAT(refusal_of_root(pickled::dict({{"a", inner}, {"a.w", square()}})),
              HasSubstr("'a.w': stands in the file twice"));
}

TEST(TorchFile, TheStateDictOfATrainingCheckpointIsFound) {
  const std::string weights = pickled::dict({{"w", square()}});
  const std::string optimizer = pickled::dict({{"moment", square()}});
  for (const char* key : {"state_dict", "model_state_dict", "model"}) {
    EXPECT_THAT(names_of_root(pickled::dict({{key, weights}, {"optimizer", optimizer}})),
                ElementsAre("w"))
        << key;
  }
  EXPECT_THAT(refusal_of_root(pickled::dict({{"model", weights}, {"state_dict", weights}})),
              HasSubstr("under 'state_dict' and under 'model'"));
  EXPECT_THAT(names_of_root(pickled::dict({{"model", weights}, {"head", square()}})),
              ElementsAre("head", "model.w"));
}

TEST(TorchFile, TensorsThatNoNameReachesAreNotDroppedInSilence) {
  EXPECT_THAT(refusal_of_root(pickled::dict({{"w", square()}, {"list", "](" + square() + "e"}})),
              HasSubstr("'list' is a list with tensors inside"));
  EXPECT_THAT(
      refusal_of_root("}(" + pickled::text("w") + square() + pickled::integer(3) + square() + "u"),
      HasSubstr("key that is an integer"));
  EXPECT_THAT(names_of_root(pickled::dict({{"w", square()}, {"step", pickled::integer(3)}})),
              ElementsAre("w"));
}

TEST(TorchFile, FilesWithoutAStateDictSayWhatTheyHold) {
  EXPECT_THAT(refusal_of_root(square()), HasSubstr("holds a tensor; expected a state dict"));
  EXPECT_THAT(refusal_of_root(pickled::dict({{"a", "N"}})), HasSubstr("has no tensor"));
}

// A dict whose 8 keys all lead to the same dict one level below.
std::string shared_levels(int level) {
  if (level == 0) return pickled::dict({{"w", square()}});
  const std::string number(1, static_cast<char>(level));
  std::string out = "}(" + pickled::text("a") + shared_levels(level - 1) + "q" + number;
  for (char key = 'b'; key <= 'h'; ++key) {
    out += pickled::text(std::string(1, key)) + "h" + number;
  }
  return out + "u";
}

TEST(TorchFile, SharedDictsCannotMultiply) {
  EXPECT_EQ(names_of_root(shared_levels(2)).size(), 64U);
  EXPECT_THAT(refusal_of_root(shared_levels(10)), HasSubstr("more entries than a state dict"));
}

class LegacyFile : public testing::Test {
 protected:
  static std::string whole() {
    return read_file(shared_path("golden/containers/legacy_nonzip.pt"));
  }
};

TEST_F(LegacyFile, EveryCutAndEveryAppendedByteIsRefused) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string bytes = whole();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(static_cast<void>(read(bytes.substr(0, size))), Error) << "cut to " << size;
  }
  EXPECT_THAT(refusal(bytes + "x"), HasSubstr("1 bytes after its last storage"));
}

TEST_F(LegacyFile, AFlippedByteNeverCrashes) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const std::string bytes = whole();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x81);
    try {
      static_cast<void>(read(damaged));
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::kInternal) << "byte " << i << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace yardstick::test
