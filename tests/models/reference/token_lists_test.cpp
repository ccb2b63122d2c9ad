#include "models/reference/token_lists.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

using models::TokenLists;
using ::testing::HasSubstr;

class TokenFile : public testing::Test {
 protected:
  TokenLists read(const std::string& name, const std::string& contents) {
    write_file_atomically(folder_ / name, contents);
    return models::read_token_lists(folder_ / name);
  }
  std::string refusal(const std::string& name, const std::string& contents) {
    return error_message([&] { static_cast<void>(read(name, contents)); });
  }

  /// An .npy file as NumPy writes it, version 1.
  static std::string npy(const std::string& dtype, const std::string& shape,
                         const std::string& data) {
    std::string header =
        "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    return "\x93NUMPY\x01" + std::string("\x00\x76\x00", 3) + header + "\n" + data;
  }

  TemporaryFolder folder_;
};

TEST_F(TokenFile, JsonHasThreeForms) {
  EXPECT_EQ(read("a.json", "[1, 2, 3]"), (TokenLists{{1, 2, 3}}));
  EXPECT_EQ(read("b.json", "[[1, 2], [3]]"), (TokenLists{{1, 2}, {3}}));
  EXPECT_EQ(read("c.json", R"({"sequences": [[4], [5, 6]]})"), (TokenLists{{4}, {5, 6}}));
}

TEST_F(TokenFile, AnArrayMayBeABatchOfOne) {
  const std::string data("\x07\x00\x00\x00\x01\x01\x00\x00", 8);
  EXPECT_EQ(read("a.npy", npy("<i4", "2,", data)), (TokenLists{{7, 257}}));
  EXPECT_EQ(read("b.npy", npy("<i4", "1, 2", data)), (TokenLists{{7, 257}}));
  EXPECT_THAT(refusal("c.npy", npy("<i4", "2, 1", data)), HasSubstr("[2, 1]; expected token ids"));
}

TEST_F(TokenFile, WhatIsNoIdIsNamed) {
  EXPECT_THAT(refusal("a.json", "[1, -2]"), HasSubstr("a.json: element 1 is -2"));
  EXPECT_THAT(refusal("b.json", "[[1], [2, 3.5]]"), HasSubstr("b.json: list 1: element 1 is 3.5"));
  EXPECT_THAT(refusal("c.json", "[]"), HasSubstr("not empty"));
  EXPECT_THAT(refusal("d.json", "[[1], []]"), HasSubstr("list 1: expected a list"));
  EXPECT_THAT(refusal("e.json", R"({"ids": [1]})"), HasSubstr("expected a list"));
  const std::string negative("\xff\xff\xff\xff", 4);
  EXPECT_THAT(refusal("f.npy", npy("<i4", "1,", negative)), HasSubstr("element 0 is -1"));
  EXPECT_THAT(refusal("g.npy", npy("<f4", "1,", negative)), HasSubstr("whole numbers"));
}

}  // namespace
}  // namespace yardstick::test
