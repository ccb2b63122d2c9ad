// pytorch_model.bin, whole and in parts, in both formats of torch.save: through the same reader and
// the same checks of the index as safetensors.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "models/checkpoint/containers.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/shared.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A state dict of one tensor [2] of these two numbers.
std::string one_tensor(const std::string& name, float first, float second) {
  using namespace pickled;
  std::string storage(8, '\0');
  std::memcpy(storage.data(), &first, 4);
  std::memcpy(storage.data() + 4, &second, 4);
  const std::string stored = pickled::storage("FloatStorage", "0", 2);
  return torch_file(document(dict({{name, tensor(stored, {0, {2}, {1}})}})), storage);
}

class TorchShards : public testing::Test {
 protected:
  TorchShards() {
    write_bytes(folder_ / "pytorch_model-00001-of-00002.bin", one_tensor("a", 1, 2));
    write_bytes(folder_ / "pytorch_model-00002-of-00002.bin", one_tensor("b", 3, 4));
  }

  void write_index(std::string_view weight_map) const {
    write_bytes(
        folder_ / "pytorch_model.bin.index.json",
        "{\"metadata\":{\"total_size\":16},\"weight_map\":" + std::string(weight_map) + "}");
  }

  std::string refusal() const {
    return error_message([&] { static_cast<void>(checkpoint::open_folder(folder_.path())); });
  }

  TemporaryFolder folder_;
};

TEST_F(TorchShards, AreOneCheckpoint) {
  write_index(R"({"a":"pytorch_model-00001-of-00002.bin","b":"pytorch_model-00002-of-00002.bin"})");
  const auto source = checkpoint::open_folder(folder_.path());
  ASSERT_EQ(source->tensors().size(), 2U);
  EXPECT_THAT(to_floats(*find_tensor(*source, "a")), ElementsAre(1, 2));
  EXPECT_THAT(to_floats(*find_tensor(*source, "b")), ElementsAre(3, 4));
  EXPECT_EQ(source->files().size(), 3U);
}

TEST_F(TorchShards, B65_AMissingShardIsNamed) {
  write_index(R"({"a":"pytorch_model-00001-of-00003.bin"})");
  EXPECT_THAT(refusal(), HasSubstr("not in the folder: pytorch_model-00001-of-00003.bin"));
}

TEST_F(TorchShards, ATensorElsewhereThanTheIndexSaysIsRefused) {
  write_index(R"({"a":"pytorch_model-00002-of-00002.bin","b":"pytorch_model-00002-of-00002.bin"})");
  EXPECT_THAT(refusal(), HasSubstr("lists tensor 'a'"));
  write_index(R"({"a":"../x.bin"})");
  EXPECT_THAT(refusal(), HasSubstr("not a file in its folder"));
}

TEST_F(TorchShards, CodeInAShardIsRefusedByName) {
  write_bytes(folder_ / "pytorch_model-00002-of-00002.bin",
              torch_file(pickled::document(pickled::global("os", "system")), ""));
  write_index(R"({"a":"pytorch_model-00001-of-00002.bin","b":"pytorch_model-00002-of-00002.bin"})");
  EXPECT_THAT(refusal(), HasSubstr("asks for os.system"));
}

// The two files hold the same OrderedDict (their README).
TEST(TorchFileInAFolder, BothFormatsOfTorchSaveAreReadAsPytorchModelBin) {
  YARDSTICK_SKIP_WITHOUT_SHARED();
  const auto whole = checkpoint::open_torch_file(shared_path("golden/containers/protocol4.pt"));
  for (const char* file : {"zip_default.pt", "legacy_nonzip.pt"}) {
    const TemporaryFolder folder;
    write_bytes(folder / "pytorch_model.bin",
                read_file(shared_path(std::string("golden/containers/") + file)));
    const auto source = checkpoint::open_folder(folder.path());
    ASSERT_EQ(source->tensors().size(), whole->tensors().size()) << file;
    for (std::size_t i = 0; i < whole->tensors().size(); ++i) {
      EXPECT_EQ(source->tensors()[i].name, whole->tensors()[i].name);
      EXPECT_EQ(source->tensors()[i].shape, whole->tensors()[i].shape);
    }
  }
}

}  // namespace
}  // namespace yardstick::test
