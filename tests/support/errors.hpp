// Checks on the text of errors: that a message names the place and the thing.
#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

namespace yardstick::test {

/// The message of the Error that `action` throws; fails the test if it throws none.
template <typename Action>
std::string error_message(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an Error, nothing was thrown";
  return "";
}

}  // namespace yardstick::test
