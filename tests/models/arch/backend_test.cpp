// The door to the backend library: a clear error where there is none.
#include "models/backend.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/address_space.hpp"
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

// A library of the system stands for one of another build: it opens, but does not say our
// interface.
TEST(Backend, ALibraryOfAnotherBuildIsRefused) {
  ::setenv("YARDSTICK_BACKEND", "/lib/x86_64-linux-gnu/libz.so.1", 1);
  if (!std::filesystem::exists("/lib/x86_64-linux-gnu/libz.so.1")) GTEST_SKIP() << "no zlib here";
  const std::string message = error_message([] { (void)models::load_backend(); });
  ::unsetenv("YARDSTICK_BACKEND");
  EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("are of different builds"),
                                        ::testing::HasSubstr("interface none")));
}

TEST(Backend, ALimitOfTheAddressSpaceThatIsTooLowIsSaidBeforeAnythingIsOpened) {
  constexpr std::int64_t kMebi = std::int64_t{1} << 20U;
  EXPECT_NO_THROW(models::check_address_space(std::nullopt, 64));
  EXPECT_NO_THROW(models::check_address_space(4096 * kMebi, 2));
  EXPECT_THAT(error_message([] { models::check_address_space(600 * kMebi, 2); }),
              ::testing::AllOf(::testing::HasSubstr("ulimit -v"), ::testing::HasSubstr("600 MiB"),
                               ::testing::HasSubstr("2 threads")));
}

}  // namespace
}  // namespace yardstick::test
