// Reference data that is not part of the project: found beside the checkout, or where
// YARDSTICK_SHARED points. Tests that need it are skipped, and say so, where it is absent.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <gtest/gtest.h>

namespace yardstick::test {

inline std::filesystem::path shared_path(std::string_view relative) {
  const char* root = std::getenv("YARDSTICK_SHARED");
  return std::filesystem::path(root != nullptr ? root : "../shared") / relative;
}

}  // namespace yardstick::test

#define YARDSTICK_SKIP_WITHOUT_SHARED()                                           \
  if (!std::filesystem::exists(::yardstick::test::shared_path("golden"))) {       \
    GTEST_SKIP() << "the shared reference data is not beside this checkout; set " \
                    "YARDSTICK_SHARED to its folder to run this test";            \
  }                                                                               \
  static_assert(true)
