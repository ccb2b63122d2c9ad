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

std::string refusal_of_folder(const TemporaryFolder& folder) {
  return error_message([&] { static_cast<void>(checkpoint::open_folder(folder.path())); });
}

TEST(Folder, ShardsWithoutAnIndexAreNamed) {
  const TemporaryFolder folder;
  write_bytes(folder / "pytorch_model-00001-of-00002.bin", "x");
  EXPECT_THAT(refusal_of_folder(folder), HasSubstr("pytorch_model-00001-of-00002.bin (1 such"));
  write_bytes(folder / "model-00001-of-00002.safetensors", "x");
  EXPECT_THAT(refusal_of_folder(folder), HasSubstr(".index.json"));
}

TEST(Folder, AGgufFileIsToBeNamedItself) {
  const TemporaryFolder folder;
  write_bytes(folder / "q8.gguf", "x");
  EXPECT_THAT(refusal_of_folder(folder), HasSubstr("It has q8.gguf: name that file as the model"));
}

TEST(Folder, OlmoCheckpointsInPartsAreRefusedWithTheScriptThatJoinsThem) {
  for (const std::string& part :
       {std::string("rank0.pt"), std::string("model/rank0.pt"), std::string("model/.metadata"),
        std::string("model_and_optim/.metadata")}) {
    const TemporaryFolder folder;
    std::filesystem::create_directories((folder / part).parent_path());
    write_bytes(folder / part, "x");
    EXPECT_THAT(refusal_of_folder(folder),
                testing::AllOf(HasSubstr(part), HasSubstr("unshard.py")));
  }
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
