// The two encodings that leave attention alone, and what the registry refuses for every kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/position/support.hpp"

namespace yardstick::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

position::PositionPlan plain_plan(position::Kind kind) {
  position::PositionPlan plan;
  plan.kind = kind;
  plan.heads = 4;
  plan.kv_heads = 2;
  plan.head_dim = 8;
  return plan;
}

TEST(None, RotatesNothingAndAddsNothing) {
  const auto encoding = make_encoding(plain_plan(position::Kind::kNone), {});
  EXPECT_FALSE(encoding->rotation(0));
  EXPECT_TRUE(encoding->bias_slopes(0).empty());
  EXPECT_TRUE(encoding->frequencies(64).empty());
  EXPECT_FALSE(encoding->longest_sequence());
  EXPECT_EQ(encoding->length_use(), position::LengthUse::kNone);
}

TEST(Learned, LongestSequenceIsTheNumberOfRows) {
  position::PositionPlan plan = plain_plan(position::Kind::kLearned);
  plan.table_rows = 1024;
  const auto encoding = make_encoding(plan, {});
  EXPECT_EQ(encoding->longest_sequence(), 1024);
  EXPECT_FALSE(encoding->rotation(0));
  EXPECT_TRUE(encoding->bias_slopes(0).empty());
}

TEST(Learned, RefusesATableWithoutRows) {
  EXPECT_THAT(model_error([] { (void)make_encoding(plain_plan(position::Kind::kLearned), {}); }),
              HasSubstr("table_rows is 0; expected the number of rows"));
}

TEST(Registry, NamesAreSorted) {
  EXPECT_THAT(position::encoding_names(), ElementsAre("alibi", "fire", "fope", "kerple", "learned",
                                                      "none", "rope", "sinusoidal", "t5", "xpos"));
}

TEST(Registry, RefusesCoefficientsForAnEncodingWithout) {
  EXPECT_THAT(model_error([] {
                (void)make_encoding(plain_plan(position::Kind::kNone), {{{1.0F}, {1.0F}}});
              }),
              HasSubstr("kind is 'none', which takes no parameters, but 1 layers"));
}

TEST(Registry, RefusesHeadsThatDoNotShareKeyHeadsEvenly) {
  position::PositionPlan plan = plain_plan(position::Kind::kNone);
  plan.kv_heads = 3;
  EXPECT_THAT(model_error([&] { (void)make_encoding(plan, {}); }),
              HasSubstr("kv_heads is 3; expected a divisor of the 4 query heads"));
}

}  // namespace
}  // namespace yardstick::test
