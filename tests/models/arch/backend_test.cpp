// The door to the backend library: a clear error where there is none.
#include "models/backend.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace yardstick::test {
namespace {

TEST(Backend, AMissingLibrarySaysWhereItWasLookedFor) {
  const TemporaryFolder folder;
  const std::string file = (folder / "none.so").string();
  ::setenv("YARDSTICK_BACKEND", file.c_str(), 1);
  const std::string message = error_message([] { (void)models::load_backend(); });
  ::unsetenv("YARDSTICK_BACKEND");
  EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr(file),
                                        ::testing::HasSubstr("YARDSTICK_BACKEND")));
}

}  // namespace
}  // namespace yardstick::test
