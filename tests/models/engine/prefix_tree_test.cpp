// The prefix tree: against properties that any right tree has, on sequences grown from each other.
#include "models/engine/prefix_tree.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace yardstick::test {
namespace {

using models::PrefixNode;
using models::PrefixTree;
using models::TreeSequence;
using Tokens = std::vector<TokenId>;

Tokens counted(std::int64_t count, TokenId first = 0) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

PrefixTree tree_of(const std::vector<TreeSequence>& sequences) {
  return {sequences, models::Sharing::kOn};
}

TEST(PrefixTree, ContextAndChoicesAreOneNodeWithChildren) {
  const Tokens context = counted(100);
  const std::vector<Tokens> all = {joined(context, counted(5, 500)),
                                   joined(context, counted(7, 600)),
                                   joined(context, counted(40, 700))};
  const PrefixTree tree = tree_of({{.tokens = all[0], .read_from = 99},
                                   {.tokens = all[1], .read_from = 99},
                                   {.tokens = all[2], .read_from = 99}});
  EXPECT_EQ(tree.token_count(), 100 + 5 + 7 + 40);
  ASSERT_EQ(tree.roots().size(), 1U);
  const PrefixNode& root = tree.nodes()[tree.roots()[0]];
  EXPECT_EQ(root.count(), 100);
  EXPECT_EQ(root.children.size(), 3U);
  EXPECT_THAT(root.readers, testing::UnorderedElementsAre(0, 1, 2)) << "the context's last row";
}

TEST(PrefixTree, BeginningsOfASequenceAreNoNodesOfTheirOwn) {
  const Tokens longest = counted(500);
  const std::span<const TokenId> all(longest);
  const PrefixTree tree = tree_of({{.tokens = all.first(64)},
                                   {.tokens = all},
                                   {.tokens = all.first(250)},
                                   {.tokens = all.first(250)}});
  EXPECT_EQ(tree.nodes().size(), 1U);
  EXPECT_EQ(tree.token_count(), 500);
  EXPECT_THAT(tree.nodes()[0].readers, testing::UnorderedElementsAre(0, 1, 2, 3));
}

TEST(PrefixTree, APromptThatIsContinuedEndsWithANode) {
  const Tokens longest = counted(300);
  const std::span<const TokenId> all(longest);
  const PrefixTree tree =
      tree_of({{.tokens = all},
               {.tokens = all.first(200), .read_from = 199, .end = TreeSequence::End::kNode},
               {.tokens = all.first(100)}});
  ASSERT_EQ(tree.nodes().size(), 2U);
  EXPECT_EQ(tree.nodes()[tree.end_node(1)].end(), 200);
  EXPECT_EQ(tree.nodes()[tree.end_node(0)].parent, tree.end_node(1));
  EXPECT_EQ(tree.end_node(2), tree.end_node(1)) << "it ends within the upper part";
  EXPECT_EQ(tree.token_count(), 300);
}

TEST(PrefixTree, GroupsShortBeginningsAndSharingOffShareNothing) {
  const Tokens a = joined(counted(31), counted(50, 500));
  const Tokens b = joined(counted(31), counted(50, 600));
  EXPECT_EQ(tree_of({{.tokens = a}, {.tokens = b}}).token_count(), 162) << "31 tokens in common";
  EXPECT_EQ(tree_of({{.tokens = a, .group = 1}, {.tokens = a, .group = 2}}).token_count(), 162);
  const std::vector<TreeSequence> same = {{.tokens = a}, {.tokens = a}, {.tokens = {}}};
  EXPECT_EQ(tree_of(same).token_count(), 81);
  const PrefixTree off(same, models::Sharing::kOff);
  EXPECT_EQ(off.token_count(), 162);
  EXPECT_EQ(off.end_node(2), PrefixNode::kNone);
}

TEST(PrefixTree, BranchesThatAreCloseTogetherDoNotHideTheTrunkBehindThem) {
  const Tokens trunk = counted(400);
  const auto part = [&](std::int64_t shared, std::int64_t own, TokenId first) {
    return joined(Tokens(trunk.begin(), trunk.begin() + shared), counted(own, first));
  };
  const Tokens at_120 = part(120, 200, 1000);
  const Tokens at_100 = part(100, 150, 2000);
  const Tokens at_200 = part(200, 30, 3000);
  const PrefixTree tree =
      tree_of({{.tokens = trunk}, {.tokens = at_120}, {.tokens = at_100}, {.tokens = at_200}});
  // The edge between 100 and 120 would be too short to be found: the branch at 100 parts at 88.
  EXPECT_EQ(tree.token_count(), 400 + 200 + (150 + 12) + 30);
}

/// Sequences that are beginnings of earlier ones, continued at random.
std::vector<Tokens> family(std::uint64_t seed) {
  Random random(seed, "family");
  std::vector<Tokens> all;
  for (int i = 0; i < 60; ++i) {
    Tokens tokens;
    if (!all.empty() && random.below(5) > 0) {
      const Tokens& other = all[random.below(all.size())];
      tokens.assign(other.begin(), other.begin() + random.between(0, std::ssize(other)));
    }
    const std::int64_t more = random.between(0, 90);
    for (std::int64_t t = 0; t < more; ++t) tokens.push_back(static_cast<TokenId>(random.below(3)));
    all.push_back(std::move(tokens));
  }
  return all;
}

TEST(PrefixTree, EveryRowThatIsReadIsOnOneNodeOfItsSequence) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const std::vector<Tokens> all = family(seed);
    Random random(seed, "reads");
    std::vector<TreeSequence> sequences;
    std::int64_t alone = 0;
    for (const Tokens& tokens : all) {
      const std::int64_t size = std::ssize(tokens);
      alone += size;
      sequences.push_back(
          {.tokens = tokens,
           .read_from = size == 0 ? 0 : random.between(0, size - 1),
           .end = random.below(2) == 0 ? TreeSequence::End::kFree : TreeSequence::End::kNode});
    }
    const PrefixTree tree = tree_of(sequences);
    EXPECT_LT(tree.token_count(), alone);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t size = std::ssize(all[i]);
      std::vector<int> read(all[i].size(), 0);
      std::int64_t covered = size;
      for (std::size_t n = tree.end_node(i); n != PrefixNode::kNone; n = tree.nodes()[n].parent) {
        const PrefixNode& node = tree.nodes()[n];
        ASSERT_GE(node.end(), covered) << "no gap in the path";
        covered = node.first;
        const auto shared = static_cast<std::ptrdiff_t>(std::min(size, node.end()));
        ASSERT_TRUE(std::equal(all[i].begin(), all[i].begin() + shared, node.path.begin()));
        if (std::ranges::count(node.readers, i) == 0) continue;
        for (std::int64_t p = std::max(node.first, sequences[i].read_from);
             p < std::min(size, node.end()); ++p)
          ++read[static_cast<std::size_t>(p)];
      }
      if (size > 0) {
        ASSERT_EQ(covered, 0);
      }
      for (std::int64_t p = 0; p < size; ++p)
        ASSERT_EQ(read[static_cast<std::size_t>(p)], p >= sequences[i].read_from ? 1 : 0)
            << "seed " << seed << " sequence " << i << " position " << p;
      if (size > 0 && sequences[i].end == TreeSequence::End::kNode) {
        ASSERT_EQ(tree.nodes()[tree.end_node(i)].end(), size);
      }
    }
  }
}

}  // namespace
}  // namespace yardstick::test
