#include "core/file.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file_stamp.hpp"
#include "core/write_target.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick {
namespace {

TEST(File, AnAtomicWriteReplacesTheWholeFileAndLeavesNothingBehind) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "sub/a.txt", "first");
  write_file_atomically(folder / "sub/a.txt", "second");
  EXPECT_EQ(read_file(folder / "sub/a.txt"), "second");
  const std::filesystem::directory_iterator entries(folder / "sub");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(File, AWriteThatCannotReplaceItsTargetKeepsTheOldState) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "target");
  // A folder in the way cannot be replaced by a file: the old state stays, the error names it.
  EXPECT_THAT(test::error_message([&] { write_file_atomically(folder / "target", "x"); }),
              testing::HasSubstr("target"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "target"));
}

TEST(File, WhatIsNoFileIsNotReplaced) {
  EXPECT_THAT(test::error_message([] { write_file_atomically("/dev/null", "x"); }),
              testing::HasSubstr("/dev/null: is no regular file"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(File, ALinkStaysALink) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "real", "first");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  write_file_atomically(folder / "link", "second");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "second");
}

TEST(File, ATemporaryFileIsANewOne) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "precious", "precious");
  const std::filesystem::path first = new_temporary(folder / "a");
  std::filesystem::remove(first);
  std::filesystem::create_symlink(folder / "precious", first);  // where the next would be
  EXPECT_NE(new_temporary(folder / "a"), first);
  write_file_atomically(folder / "a", "text");
  EXPECT_EQ(read_file(folder / "precious"), "precious");
  EXPECT_EQ(read_file(folder / "a"), "text");
}

TEST(FileStamp, TellsWhatHappenedToAFile) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "a";
  const auto rewrite = [&](std::string_view text) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // clocks of files tick slowly
    std::ofstream(file) << text;
  };
  rewrite("abc");
  FileStamp stamp = stamp_file(file);
  EXPECT_EQ(describe_change(stamp), "");
  rewrite("abcd");
  EXPECT_EQ(describe_change(stamp), "was written to (3 bytes, now 4)");
  stamp = stamp_file(file);
  rewrite("dcba");
  EXPECT_EQ(describe_change(stamp), "was written to (4 bytes as before, at another time)");
  stamp = stamp_file(file);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_THAT(describe_change(stamp), testing::HasSubstr("was touched"));
  stamp = stamp_file(file);
  write_file_atomically(file, "dcba");
  EXPECT_EQ(describe_change(stamp), "was replaced by another file");
  std::filesystem::remove(file);
  EXPECT_EQ(describe_change(stamp), "is gone (No such file or directory)");
  EXPECT_THAT(test::error_message([&] { check_unchanged(stamp); }),
              testing::HasSubstr("a: is gone (No such file or directory) while it was being read"));
}

TEST(File, AMissingFileOrAFolderIsNamed) {
  EXPECT_THAT(test::error_message([] { static_cast<void>(read_file("no/such/file")); }),
              testing::HasSubstr("no/such/file: cannot open"));
  EXPECT_THAT(test::error_message([] { static_cast<void>(read_file("tests")); }),
              testing::HasSubstr("not a regular file"));
}

TEST(File, AnEmptyFileIsEmpty) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
}

// Without a guard the process ends with SIGBUS (exit 135).
TEST(File, OneThatShrinksWhileItIsMappedIsAnError) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "weights", std::string(100'000, 'x'));
  write_file_atomically(folder / "others", std::string(100'000, 'y'));
  const MappedFile mapped(folder / "weights");
  const MappedFile others(folder / "others");
  std::filesystem::resize_file(folder / "weights", 5000);
  std::size_t zeros = 0;
  for (const std::byte byte : mapped.bytes()) zeros += byte == std::byte{0} ? 1U : 0U;
  EXPECT_EQ(zeros, 95'000U);
  EXPECT_THAT(test::error_message([&] { mapped.check_whole(); }),
              testing::AllOf(testing::HasSubstr("weights: shrank while it was read"),
                             testing::HasSubstr("100000"), testing::HasSubstr("5000")));
  EXPECT_EQ(others.bytes().back(), std::byte{'y'});
  EXPECT_NO_THROW(others.check_whole());
}

TEST(File, AGuardFollowsItsMap) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "a", std::string(50'000, 'x'));
  MappedFile first(folder / "a");
  MappedFile moved(std::move(first));
  std::filesystem::resize_file(folder / "a", 0);
  EXPECT_EQ(moved.bytes()[40'000], std::byte{0});
  EXPECT_THAT(test::error_message([&] { moved.check_whole(); }), testing::HasSubstr("shrank"));
}

}  // namespace
}  // namespace yardstick
