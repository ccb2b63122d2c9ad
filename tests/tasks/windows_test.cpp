#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/perplexity/protocols/disjoint.hpp"
#include "tasks/perplexity/protocols/last_k.hpp"
#include "tasks/perplexity/protocols/nested.hpp"

namespace yardstick::tasks {
namespace {

std::vector<TokenId> stream_of(std::size_t size) {
  std::vector<TokenId> stream(size);
  std::iota(stream.begin(), stream.end(), 10);
  return stream;
}

std::int64_t scored(const Windows& windows) {
  std::int64_t count = 0;
  for (const Window& window : windows.windows) count += window.end - window.score_from;
  return count;
}

const std::vector<TokenId> kNone;
const std::vector<TokenId> kBos = {1};

// transformers issue 30975: N tokens in W whole windows score N - W without BOS, N with it.
TEST(DisjointWindows, B02WithoutBosTheFirstTokenOfEachWindowIsNotScored) {
  const Windows windows = cut_disjoint(stream_of(20), kNone, {.length = 5});
  ASSERT_EQ(windows.windows.size(), 4U);
  EXPECT_EQ(windows.windows[1], (Window{.begin = 5, .end = 10, .score_from = 6, .prefix = 0}));
  EXPECT_EQ(scored(windows), 20 - 4);
  EXPECT_EQ(windows.tokens_skipped, 0);
}

TEST(DisjointWindows, WithBosEachWindowOpensWithItAndScoresAllTheRest) {
  const Windows windows = cut_disjoint(stream_of(20), kBos, {.length = 5});
  ASSERT_EQ(windows.windows.size(), 5U);
  for (const Window& window : windows.windows) {
    EXPECT_EQ(window.prefix, 1);
    EXPECT_EQ(window.prefix + window.end - window.begin, 5);
    EXPECT_EQ(window.score_from, window.begin);
  }
  EXPECT_EQ(scored(windows), 20);
}

// FoPE's protocol: chunks of L in {128..8192}, the tail dropped, L - 1 scored in each.
TEST(DisjointWindows, B22CountsAreThoseOfTheFopeProtocol) {
  const std::vector<TokenId> stream = stream_of(20000);
  for (const std::int64_t length : {128, 256, 512, 1024, 2048, 4096, 8192}) {
    const Windows windows = cut_disjoint(stream, kNone, {.length = length});
    EXPECT_EQ(static_cast<std::int64_t>(windows.windows.size()), 20000 / length);
    EXPECT_EQ(scored(windows), 20000 / length * (length - 1));
    EXPECT_EQ(windows.tokens_skipped, 20000 % length);
  }
}

TEST(DisjointWindows, ATailIsDroppedAndCountedOrScored) {
  const std::vector<TokenId> stream = stream_of(23);
  EXPECT_EQ(cut_disjoint(stream, kNone, {.length = 5, .tail = Tail::kDrop}).tokens_skipped, 3);
  const Windows kept = cut_disjoint(stream, kNone, {.length = 5, .tail = Tail::kScore});
  EXPECT_EQ(kept.windows.back(), (Window{.begin = 20, .end = 23, .score_from = 21, .prefix = 0}));
  EXPECT_EQ(kept.tokens_skipped, 0);
  // A tail of one token without BOS has nothing to be predicted from.
  EXPECT_EQ(cut_disjoint(stream_of(21), kNone, {.length = 5, .tail = Tail::kScore}).tokens_skipped,
            1);
  EXPECT_EQ(scored(cut_disjoint(stream_of(1), kBos, {.length = 5, .tail = Tail::kScore})), 1);
}

// open-r1 issue 462: a text that brings its BOS, and a tokenizer that adds one.
TEST(DisjointWindows, B29aABosInTheTextIsNotDoubled) {
  std::vector<TokenId> stream = stream_of(10);
  stream[0] = kBos[0];
  const Windows windows = cut_disjoint(stream, kBos, {.length = 5});
  EXPECT_EQ(windows.windows[0], (Window{.begin = 0, .end = 5, .score_from = 1, .prefix = 0}));
  EXPECT_EQ(windows.windows[1], (Window{.begin = 5, .end = 9, .score_from = 5, .prefix = 1}));
}

TEST(NestedWindows, AreTheBeginningsOfTheLongestOnes) {
  std::vector<TokenId> stream = stream_of(1000);
  stream[240] = kBos[0];  // not doubled where a window begins with it
  for (const std::vector<TokenId>& prefix : {kNone, kBos}) {
    const Windows longest = cut_disjoint(stream, prefix, {.length = 241});
    EXPECT_EQ(cut_nested(stream, prefix, 241, 241), longest) << "the same at the longest length";
    for (const std::int64_t length : {2, 16, 240}) {
      const Windows nested = cut_nested(stream, prefix, length, 241);
      ASSERT_EQ(nested.windows.size(), longest.windows.size());
      std::int64_t held = 0;
      for (std::size_t i = 0; i < nested.windows.size(); ++i) {
        const Window& window = nested.windows[i];
        EXPECT_EQ(window.begin, longest.windows[i].begin);
        EXPECT_EQ(window.prefix, longest.windows[i].prefix);
        EXPECT_EQ(window.score_from, longest.windows[i].score_from);
        EXPECT_EQ(window.prefix + window.end - window.begin, length);
        held += window.end - window.begin;
      }
      EXPECT_EQ(scored(nested), std::ssize(nested.windows) * (length - 1));
      EXPECT_EQ(nested.tokens_skipped, 1000 - held);
    }
  }
}

TEST(NestedWindows, TheVariantOfACellReadsBack) {
  EXPECT_EQ(format_longest(32768), "nested,longest=32768");
  EXPECT_EQ(parse_longest(format_longest(32768)), 32768);
}

std::set<std::int64_t> targets_of(const Windows& windows) {
  std::set<std::int64_t> targets;
  for (const Window& window : windows.windows) {
    for (std::int64_t i = window.score_from; i < window.end; ++i) targets.insert(i);
  }
  return targets;
}

TEST(LastWindows, TheTargetsAreTheSameAtEveryLength) {
  const std::vector<TokenId> stream = stream_of(1000);
  for (const std::vector<TokenId>& prefix : {kNone, kBos}) {
    const LastTargets targets{.k = 8, .longest = 256, .stride = 100};
    const std::set<std::int64_t> expected =
        targets_of(cut_last(stream, prefix, targets.longest, targets));
    EXPECT_EQ(expected.size(), 8U * 8U);  // ends at 256, 356, ... 956
    for (const std::int64_t length : {9, 16, 32, 100, 255}) {
      const Windows windows = cut_last(stream, prefix, length, targets);
      EXPECT_EQ(targets_of(windows), expected) << length;
      for (const Window& window : windows.windows) {
        EXPECT_EQ(window.prefix + window.end - window.begin, length);
        EXPECT_GE(window.score_from - window.begin + window.prefix, 1);
      }
    }
  }
}

TEST(LastWindows, AStreamShorterThanTheLongestLengthHasNone) {
  const LastTargets targets{.k = 4, .longest = 64, .stride = 64};
  const Windows windows = cut_last(stream_of(63), kNone, 8, targets);
  EXPECT_TRUE(windows.windows.empty());
  EXPECT_EQ(windows.tokens_skipped, 63);
}

TEST(LastTargets, TheVariantOfACellReadsBack) {
  const LastTargets targets{.k = 256, .longest = 32768, .stride = 8192};
  EXPECT_EQ(format_targets(targets), "last=256,longest=32768,stride=8192");
  EXPECT_EQ(parse_targets(format_targets(targets)), targets);
}

}  // namespace
}  // namespace yardstick::tasks
