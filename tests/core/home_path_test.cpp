#include "core/home_path.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(HomePath, TheTildeIsTheHomeFolder) {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  if (home.empty()) GTEST_SKIP() << "HOME is not set";
  EXPECT_EQ(expand_home("~"), home);
  EXPECT_EQ(expand_home("~/models/a"), home + "/models/a");
  EXPECT_EQ(expand_home("name=~/a"), "name=" + home + "/a");
  EXPECT_EQ(path_from("/base", "~/a"), home + "/a");
}

TEST(HomePath, OtherPathsStay) {
  for (const char* const path : {"a", "/a", "./~", "~user/a", "a~", "name=a~", "", "a/~/b"})
    EXPECT_EQ(expand_home(path), path);
  EXPECT_EQ(path_from("/base", "a"), "/base/a");
  EXPECT_EQ(path_from("/base", "a=~/b"), "/base/a=~/b");  // a file's name, not NAME=PATH
}

TEST(HomePath, ALinkToNothingIsNoMissingFile) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(is_present(folder / "file"));
  std::filesystem::create_symlink("../../blobs/1234", folder / "file");
  EXPECT_THAT(test::error_message([&] { static_cast<void>(is_present(folder / "file")); }),
              AllOf(HasSubstr("file: is a link to ../../blobs/1234"), HasSubstr("not there")));
}

}  // namespace
}  // namespace yardstick
