// Which of a folder's files is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/containers.hpp"
#include "tests/models/checkpoint/made_files.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using testing::HasSubstr;

TEST(Folder, AnEmptyFolderIsRefusedWithWhatWasLookedFor) {
  const TemporaryFolder folder;
  const std::string message =
      error_message([&] { static_cast<void>(checkpoint::open_folder(folder.path())); });
  EXPECT_THAT(message, HasSubstr("model.safetensors, model.safetensors.index.json, model.pt, "
                                 "pytorch_model.bin"));
}

TEST(Folder, ShardedTorchFilesAreRefusedWithWhatToDo) {
  const TemporaryFolder folder;
  write_bytes(folder / "pytorch_model.bin.index.json", "{}");
  EXPECT_THAT(error_message([&] { static_cast<void>(checkpoint::open_folder(folder.path())); }),
              HasSubstr("save the model as safetensors"));
}

TEST(Folder, AMissingFolderIsNamed) {
  EXPECT_THAT(error_message([] { static_cast<void>(checkpoint::open_folder("no/such/folder")); }),
              HasSubstr("no/such/folder: is not a folder"));
}

TEST(Folder, SafetensorsComeBeforeTorchFiles) {
  const TemporaryFolder folder;
  write_bytes(folder / "model.pt", "not read");
  write_bytes(folder / "model.safetensors",
              safetensors_file(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
  EXPECT_THAT(checkpoint::open_folder(folder.path())->files(),
              testing::ElementsAre((folder / "model.safetensors").string()));
}

}  // namespace
}  // namespace yardstick::test
