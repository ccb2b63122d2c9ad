// The windows of each peer's protocol, by counting. Cases from the peers' own tests and issues, or
// from their rule by hand.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tasks/perplexity/protocols/llama_cpp.hpp"
#include "tasks/perplexity/protocols/rolling.hpp"
#include "tasks/perplexity/protocols/strided.hpp"

namespace yardstick::tasks {
namespace {

const std::vector<TokenId> kNone;
const std::vector<TokenId> kBos = {-100};

std::vector<TokenId> stream_of(std::size_t size) {
  std::vector<TokenId> stream(size);
  std::iota(stream.begin(), stream.end(), 0);
  return stream;
}

/// How often each token is a target.
std::vector<int> targets_of(const Windows& windows, std::size_t size) {
  std::vector<int> counts(size);
  for (const Window& window : windows.windows) {
    EXPECT_GE(window.score_from - window.begin + window.prefix, 1) << "a target needs context";
    for (std::int64_t i = window.score_from; i < window.end; ++i)
      ++counts.at(static_cast<std::size_t>(i));
  }
  return counts;
}

std::int64_t scored(const Windows& windows) {
  std::int64_t count = 0;
  for (const Window& window : windows.windows) count += window.end - window.score_from;
  return count;
}

struct Inputs {
  std::int64_t first;  ///< -1: the prefix token, behind which token 0 follows
  std::int64_t end;
  std::int64_t first_target;
  std::int64_t end_of_targets;

  bool operator==(const Inputs&) const = default;
};

std::vector<Inputs> rolling(std::size_t size, const RollingPlan& plan) {
  std::vector<Inputs> out;
  for (const Window& w : cut_rolling(stream_of(size), kBos, plan).windows)
    out.push_back({w.begin - w.prefix, w.end - 1, w.score_from, w.end});
  return out;
}

// lm-evaluation-harness, tests/test_utils.py, get_rolling_token_windows v1 to v6 and empty; the
// token 9 of ten inputs is index 9, the prefix token is -1.
TEST(RollingWindows, B05AreThoseOfTheSixPublishedCases) {
  EXPECT_EQ(
      rolling(34, {.length = 10, .context = 1}),
      (std::vector<Inputs>{{-1, 9, 0, 10}, {9, 19, 10, 20}, {19, 29, 20, 30}, {23, 33, 30, 34}}));
  EXPECT_EQ(rolling(34, {.length = 10, .context = 8}), (std::vector<Inputs>{{-1, 9, 0, 10},
                                                                            {2, 12, 10, 13},
                                                                            {5, 15, 13, 16},
                                                                            {8, 18, 16, 19},
                                                                            {11, 21, 19, 22},
                                                                            {14, 24, 22, 25},
                                                                            {17, 27, 25, 28},
                                                                            {20, 30, 28, 31},
                                                                            {23, 33, 31, 34}}));
  for (const std::size_t size : {34U, 30U}) {
    std::vector<Inputs> one_by_one = {{-1, 9, 0, 10}};
    for (std::int64_t t = 10; t < static_cast<std::int64_t>(size); ++t)
      one_by_one.push_back({t - 10, t, t, t + 1});
    EXPECT_EQ(rolling(size, {.length = 10, .context = 10}), one_by_one);
  }
  EXPECT_EQ(rolling(30, {.length = 10, .context = 1}),
            (std::vector<Inputs>{{-1, 9, 0, 10}, {9, 19, 10, 20}, {19, 29, 20, 30}}));
  EXPECT_EQ(
      rolling(9, {.length = 2, .context = 1}),
      (std::vector<Inputs>{{-1, 1, 0, 2}, {1, 3, 2, 4}, {3, 5, 4, 6}, {5, 7, 6, 8}, {6, 8, 8, 9}}));
  EXPECT_TRUE(rolling(0, {.length = 2, .context = 1}).empty());
  // The case of the bug log itself.
  EXPECT_EQ(rolling(10, {.length = 4, .context = 1}),
            (std::vector<Inputs>{{-1, 3, 0, 4}, {3, 7, 4, 8}, {5, 9, 8, 10}}));
}

TEST(RollingWindows, B02EveryTokenIsScoredOnceWithAPrefixAllButTheFirstWithout) {
  for (const LastWindow last : {LastWindow::kSlide, LastWindow::kShort}) {
    for (const std::size_t size : {1U, 2U, 9U, 10U, 11U, 57U}) {
      const RollingPlan plan{.length = 10, .context = 3, .last = last};
      std::vector<int> once(size, 1);
      EXPECT_EQ(targets_of(cut_rolling(stream_of(size), kBos, plan), size), once);
      once.front() = 0;
      EXPECT_EQ(targets_of(cut_rolling(stream_of(size), kNone, plan), size), once);
    }
  }
}

// fairseq's evaluation with --context-window 0: blocks of L targets whose inputs are the stream one
// token earlier; the last block is short.
TEST(RollingWindows, AlibisBlocksAreNotSlidBack) {
  EXPECT_EQ(rolling(24, {.length = 10, .context = 1, .last = LastWindow::kShort}),
            (std::vector<Inputs>{{-1, 9, 0, 10}, {9, 19, 10, 20}, {19, 23, 20, 24}}));
}

// transformers issue 7938: a last step that is shorter than the stride scored tokens again.
TEST(StridedWindows, B04ALastStepShorterThanTheStrideScoresEachTokenOnce) {
  const Windows windows = cut_strided(stream_of(1300), kNone, {.length = 512, .stride = 256});
  EXPECT_EQ(windows.windows, (std::vector<Window>{{0, 512, 1, 0},
                                                  {256, 768, 512, 0},
                                                  {512, 1024, 768, 0},
                                                  {768, 1280, 1024, 0},
                                                  {1024, 1300, 1280, 0}}));
  EXPECT_EQ(scored(windows), 1299);
  EXPECT_EQ(windows.tokens_skipped, 0);
}

// The guide's loop where windows do not overlap: the first target of each is never scored.
TEST(StridedWindows, B02AStrideOfTheWindowLosesTheFirstTokenOfEach) {
  EXPECT_EQ(scored(cut_strided(stream_of(20), kNone, {.length = 5, .stride = 5})), 20 - 4);
  EXPECT_EQ(scored(cut_strided(stream_of(20), kNone, {.length = 5, .stride = 4})), 19);
}

TEST(StridedWindows, SlidingByOneGivesEachTokenAFullWindow) {
  const Windows windows = cut_strided(stream_of(30), kNone, {.length = 8, .stride = 1});
  ASSERT_EQ(windows.windows.size(), 1U + 22U);
  EXPECT_EQ(windows.windows[0], (Window{0, 8, 1, 0}));
  for (std::size_t i = 1; i < windows.windows.size(); ++i) {
    const Window& window = windows.windows[i];
    EXPECT_EQ(window.end - window.score_from, 1);
    EXPECT_EQ(window.score_from - window.begin, 7) << "L - 1 tokens of context";
  }
}

TEST(StridedWindows, WithBosEachTokenIsScoredOnceAndTheWindowHoldsTheBos) {
  for (const std::size_t size : {1U, 7U, 8U, 40U, 43U}) {
    const Windows windows = cut_strided(stream_of(size), kBos, {.length = 8, .stride = 3});
    EXPECT_EQ(targets_of(windows, size), std::vector<int>(size, 1));
    for (const Window& window : windows.windows) {
      EXPECT_EQ(window.prefix, 1);
      EXPECT_LE(window.prefix + window.end - window.begin, 8);
    }
  }
}

// The guide tokenises the whole text, so a BOS stands before it once and is a token like others.
TEST(StridedWindows, HuggingFacesBosIsTheFirstTokenOfTheText) {
  const Windows windows = cut_strided_text(stream_of(20), kBos, {.length = 8, .stride = 4});
  EXPECT_EQ(windows.windows,
            (std::vector<Window>{
                {0, 7, 0, 1}, {3, 11, 7, 0}, {7, 15, 11, 0}, {11, 19, 15, 0}, {15, 20, 19, 0}}));
  EXPECT_EQ(cut_strided_text(stream_of(20), kNone, {.length = 8, .stride = 4}),
            cut_strided(stream_of(20), kNone, {.length = 8, .stride = 4}));
}

TEST(LlamaCppWindows, B06ScoreTheSecondHalfBehindAReplacedFirstToken) {
  const Windows plain = cut_llama_cpp(stream_of(1300), kNone, 512);
  EXPECT_EQ(plain.windows, (std::vector<Window>{{0, 512, 257, 0}, {512, 1024, 769, 0}}));
  EXPECT_EQ(scored(plain), 510);
  EXPECT_EQ(plain.tokens_skipped, 276);
  // 1300 tokens of which the first is the BOS that tokenising puts there.
  const Windows opened = cut_llama_cpp(stream_of(1299), kBos, 512);
  EXPECT_EQ(opened.windows, (std::vector<Window>{{0, 511, 256, 1}, {512, 1023, 768, 1}}));
  EXPECT_EQ(scored(opened), 510);
  EXPECT_EQ(opened.tokens_skipped, 276 + 1) << "token 511 gave its place to the BOS";
  // The same ids with the BOS in the stream already.
  std::vector<TokenId> ids = stream_of(1300);
  ids[0] = kBos[0];
  const Windows stored = cut_llama_cpp(ids, kBos, 512);
  EXPECT_EQ(stored.windows, (std::vector<Window>{{0, 512, 257, 0}, {513, 1024, 769, 1}}));
}

TEST(LlamaCppWindows, NeedTwoWindowsOfText) {
  EXPECT_TRUE(cut_llama_cpp(stream_of(1023), kNone, 512).windows.empty());
  EXPECT_EQ(cut_llama_cpp(stream_of(1024), kNone, 512).windows.size(), 2U);
  EXPECT_EQ(cut_llama_cpp(stream_of(1023), kBos, 512).windows.size(), 2U);
}

// perplexity.cpp 294-439: windows of 640 for -c 512 --ppl-stride 256, ceil((n - 640) / 256) of
// them.
TEST(LlamaCppStridedWindows, B08AreEnlargedByHalfTheStrideAndScoreTheirEnd) {
  const LlamaStride plan{.length = 512, .stride = 256};
  const Windows windows = cut_llama_cpp_strided(stream_of(1999), kBos, plan);
  EXPECT_EQ(windows.windows, (std::vector<Window>{{0, 639, 383, 1},
                                                  {255, 895, 639, 0},
                                                  {511, 1151, 895, 0},
                                                  {767, 1407, 1151, 0},
                                                  {1023, 1663, 1407, 0},
                                                  {1279, 1919, 1663, 0}}));
  for (const std::size_t size : {640U, 641U, 896U, 897U, 5000U}) {
    EXPECT_EQ(cut_llama_cpp_strided(stream_of(size), kNone, plan).windows.size(),
              (size - 640 + 255) / 256)
        << size;
  }
}

}  // namespace
}  // namespace yardstick::tasks
