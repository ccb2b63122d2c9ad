#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"

namespace yardstick {
namespace {

TEST(Error, WithinPutsThePlaceInFrontAndKeepsTheKind) {
  const Error error = Error(ErrorKind::kData, "bad value").within("file.json:3");
  EXPECT_STREQ(error.what(), "file.json:3: bad value");
  EXPECT_EQ(error.kind(), ErrorKind::kData);
}

TEST(Error, AFailedCheckNamesItsClaimAndSourceLine) {
  const std::string message = test::error_message([] { check(false, "water is dry"); });
  EXPECT_THAT(message, testing::HasSubstr("water is dry"));
  EXPECT_THAT(message, testing::HasSubstr("error_test.cpp"));
  EXPECT_NO_THROW(check(true, "water is wet"));
}

}  // namespace
}  // namespace yardstick
