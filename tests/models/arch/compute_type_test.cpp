// Names of compute types: the long names are written, the short ones are read, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/engine/engine.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::ComputeType;

TEST(ComputeType, NamesReadBack) {
  for (const auto type : {ComputeType::kFloat32, ComputeType::kBFloat16, ComputeType::kFloat16}) {
    EXPECT_EQ(models::parse_compute_type(models::to_string(type)), type);
  }
}

TEST(ComputeType, AliasesAreRead) {
  EXPECT_EQ(models::parse_compute_type("fp32"), ComputeType::kFloat32);
  EXPECT_EQ(models::parse_compute_type("bf16"), ComputeType::kBFloat16);
  EXPECT_EQ(models::parse_compute_type("half"), ComputeType::kFloat16);
}

TEST(ComputeType, AnUnknownNameListsTheValidOnes) {
  EXPECT_THAT(error_message([] { (void)models::parse_compute_type("bfloat"); }),
              ::testing::AllOf(::testing::HasSubstr("'bfloat'"), ::testing::HasSubstr("bfloat16"),
                               ::testing::HasSubstr("float32")));
}

}  // namespace
}  // namespace yardstick::test
