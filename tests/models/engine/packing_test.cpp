// The packing plan, by hand-made expectations and by what must hold for any lengths.
#include <map>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "models/engine/packing.hpp"

namespace yardstick::test {
namespace {

using models::Piece;
using models::plan_batches;

TEST(Packing, LongestFirstEndToEnd) {
  const std::vector<std::int64_t> lengths = {3, 9, 0, 4};
  const std::vector<std::vector<Piece>> expected = {{{1, 0, 8}}, {{1, 8, 1}, {3, 0, 4}, {0, 0, 3}}};
  EXPECT_EQ(plan_batches(lengths, 8), expected);
}

TEST(Packing, EverySequenceIsCoveredInOrderAndCutsDoNotDependOnOthers) {
  Random random(5, "packing");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::int64_t> lengths;
    for (int i = 0; i < 20; ++i) lengths.push_back(random.between(0, 60));
    std::map<std::size_t, std::int64_t> done;
    for (const std::vector<Piece>& batch : plan_batches(lengths, 16)) {
      std::int64_t tokens = 0;
      std::map<std::size_t, int> seen;
      for (const Piece& piece : batch) {
        EXPECT_EQ(piece.first, done[piece.sequence]);
        EXPECT_EQ(piece.first % 16, 0);
        EXPECT_EQ(++seen[piece.sequence], 1);
        done[piece.sequence] += piece.count;
        tokens += piece.count;
      }
      EXPECT_LE(tokens, 16);
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(done[i], lengths[i]);
  }
}

}  // namespace
}  // namespace yardstick::test
