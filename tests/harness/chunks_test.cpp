#include "harness/plan/chunks.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace yardstick::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

tasks::Sample sample_of(std::vector<TokenId> tokens) {
  tasks::Sample sample;
  sample.requests = {{.tokens = std::move(tokens), .score_from = 1}};
  return sample;
}

/// A cell of samples whose tokens are [first, first + size).
std::vector<tasks::Sample> samples(const std::vector<std::pair<TokenId, int>>& ranges) {
  std::vector<tasks::Sample> out;
  for (const auto& [first, size] : ranges) {
    std::vector<TokenId> tokens(static_cast<std::size_t>(size));
    std::iota(tokens.begin(), tokens.end(), first);
    out.push_back(sample_of(std::move(tokens)));
  }
  return out;
}

ChunkCell all_of(const std::vector<tasks::Sample>& samples) {
  ChunkCell cell{.samples = samples, .wanted = {}};
  for (std::size_t i = 0; i < samples.size(); ++i) cell.wanted.push_back(i);
  return cell;
}

/// "cell.sample ..." of each chunk.
std::vector<std::string> names(const std::vector<PlannedChunk>& chunks) {
  std::vector<std::string> names;
  for (const PlannedChunk& chunk : chunks) {
    std::string& name = names.emplace_back();
    for (const PlannedChunk::Ref& ref : chunk.samples)
      name +=
          (name.empty() ? "" : " ") + std::to_string(ref.cell) + "." + std::to_string(ref.sample);
  }
  return names;
}

constexpr ShareRule kAlone{.sharing = models::Sharing::kOff};

TEST(Chunks, WithoutSharingTheyAreCutInOrderAtTheLimits) {
  const auto built = samples({{0, 10}, {0, 10}, {0, 10}, {0, 10}, {0, 100}, {0, 10}, {0, 10}});
  ChunkCell cell = all_of(built);
  EXPECT_THAT(names(plan_chunks({&cell, 1}, {3, 1000}, kAlone)),
              ElementsAre("0.0 0.1 0.2", "0.3 0.4 0.5", "0.6"));
  cell.wanted = {0, 2, 4, 5, 6};
  EXPECT_THAT(names(plan_chunks({&cell, 1}, {3, 30}, kAlone)),
              ElementsAre("0.0 0.2 0.4", "0.5 0.6"));
  cell.wanted = {};
  EXPECT_THAT(plan_chunks({&cell, 1}, {3, 30}, kAlone), IsEmpty());
}

TEST(Chunks, SamplesThatBeginAlikeStandTogether) {
  // Three windows at three lengths; the windows differ from their first token on.
  const auto shortest = samples({{0, 50}, {1000, 50}, {2000, 50}});
  const auto middle = samples({{0, 100}, {1000, 100}, {2000, 100}});
  const auto longest = samples({{0, 200}, {1000, 200}, {2000, 200}});
  const std::vector<ChunkCell> cells = {all_of(longest), all_of(middle), all_of(shortest)};
  const auto chunks = plan_chunks(cells, {100, 100}, {});
  EXPECT_THAT(names(chunks), ElementsAre("0.0 1.0 2.0", "0.1 1.1 2.1", "0.2 1.2 2.2"));
  for (const PlannedChunk& chunk : chunks) EXPECT_EQ(chunk.tokens, 200) << "the longest alone";
  // 31 tokens are too few to be shared: nothing holds these together.
  const auto few = samples({{0, 31}, {0, 31}});
  const ChunkCell cell = all_of(few);
  EXPECT_THAT(names(plan_chunks({&cell, 1}, {1, 1000}, {})), ElementsAre("0.0", "0.1"));
}

TEST(Chunks, AnEncodingThatReadsTheTotalLengthSharesWithinOneLength) {
  const auto built = samples({{0, 50}, {0, 100}, {0, 50}, {0, 100}});
  const ChunkCell cell = all_of(built);
  const auto chunks =
      plan_chunks({&cell, 1}, {100, 50}, {.length_use = position::LengthUse::kTotal});
  EXPECT_THAT(names(chunks), ElementsAre("0.0 0.2", "0.1 0.3"));
  EXPECT_EQ(chunks[0].tokens + chunks[1].tokens, 150);
}

/// A trunk of `trunk` tokens with `count` branches of `branch` tokens at its end.
std::vector<tasks::Sample> branches(int trunk, int branch, int count) {
  std::vector<tasks::Sample> out;
  for (int i = 0; i < count; ++i) {
    tasks::Sample sample = samples({{0, trunk}}).front();
    std::vector<TokenId>& tokens = sample.requests[0].tokens;
    tokens.resize(static_cast<std::size_t>(trunk + branch), 5000 + i);
    out.push_back(std::move(sample));
  }
  return out;
}

TEST(Chunks, ACommonBeginningIsComputedAgainOnlyForManyTimesAsMuchWork) {
  const auto built = branches(100, 10, 400);
  const ChunkCell cell = all_of(built);
  // Beyond the limit of 400 tokens an eighth of what is computed may be computed again: 800 tokens
  // more for 100.
  const auto chunks = plan_chunks({&cell, 1}, {1000, 400}, {});
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) EXPECT_EQ(chunks[i].tokens, 1200);
  std::int64_t total = 0;
  for (const PlannedChunk& chunk : chunks) total += chunk.tokens;
  EXPECT_EQ(total, 400 * 10 + 100 * std::ssize(chunks));
}

TEST(Chunks, FourTimesTheTokensAndSixteenTimesTheSamplesAreTheEnd) {
  const auto built = branches(5000, 10, 500);
  const ChunkCell cell = all_of(built);
  for (const PlannedChunk& chunk : plan_chunks({&cell, 1}, {4, 100'000}, {}))
    EXPECT_LE(chunk.samples.size(), 64U);
  const auto wide = branches(1000, 400, 50);
  const ChunkCell of_wide = all_of(wide);
  const auto chunks = plan_chunks({&of_wide, 1}, {1000, 1000}, {});
  // 1000 and 400 a branch: the eighth branch reaches 4000.
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) EXPECT_EQ(chunks[i].samples.size(), 8U);
  // A beginning that is longer than that is still shared, within 4 times its own tokens.
  for (const PlannedChunk& chunk : plan_chunks({&cell, 1}, {1000, 400}, {}))
    EXPECT_EQ(chunk.samples.size(), 500U) << "5000 + 500 x 10 tokens are not 20,000";
}

TEST(Chunks, AChunkThatMustEndDoesSoWhereLeastIsSharedWithTheNext) {
  // Seven groups behind a trunk of 900 tokens; a group shares 1000 more, its samples end
  // differently.
  std::vector<tasks::Sample> built;
  for (int group = 0; group < 7; ++group) {
    for (tasks::Sample& sample : branches(1900, 100, 5)) {
      std::vector<TokenId>& tokens = sample.requests[0].tokens;
      std::fill(tokens.begin() + 900, tokens.begin() + 1900, 9000 + group);
      built.push_back(std::move(sample));
    }
  }
  const ChunkCell cell = all_of(built);
  // 900 and 1500 a group: the first sample of the fifth group reaches 4 x 2000.
  const auto chunks = plan_chunks({&cell, 1}, {1000, 2000}, {});
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[0].samples.size(), 20U);
  EXPECT_EQ(chunks[0].tokens, 900 + 4 * 1500);
  EXPECT_EQ(chunks[1].tokens, 900 + 3 * 1500);
}

TEST(Chunks, ThereIsWorkForEverySlot) {
  const auto built = samples({{0, 50},
                              {1000, 50},
                              {2000, 50},
                              {3000, 50},
                              {4000, 50},
                              {5000, 50},
                              {6000, 50},
                              {7000, 50}});
  const ChunkCell cell = all_of(built);
  EXPECT_EQ(plan_chunks({&cell, 1}, {100, 400, 1}, {}).size(), 1U);
  EXPECT_EQ(plan_chunks({&cell, 1}, {100, 400, 2}, {}).size(), 4U);
  EXPECT_EQ(plan_chunks({&cell, 1}, {100, 400, 8}, {}).size(), 4U) << "not below a quarter";
}

TEST(Chunks, EverySampleIsInOneOfThem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, "chunks");
    std::vector<std::vector<tasks::Sample>> built(4);
    std::vector<PlannedChunk::Ref> expected;
    for (std::size_t c = 0; c < built.size(); ++c) {
      for (std::size_t i = 0; i < 25; ++i) {
        built[c].push_back(samples({{0, static_cast<int>(random.between(1, 200))}}).front());
        for (int t = 0; t < 30; ++t)
          built[c].back().requests[0].tokens.push_back(static_cast<TokenId>(random.below(2)));
        built[c].back().requests.resize(1 + random.below(3), built[c].back().requests[0]);
        expected.push_back({c, i});
      }
    }
    std::vector<ChunkCell> cells;
    for (const auto& cell : built) cells.push_back(all_of(cell));
    for (const ShareRule& rule : {ShareRule{}, kAlone}) {
      std::vector<PlannedChunk::Ref> seen;
      for (const PlannedChunk& chunk : plan_chunks(cells, {7, 300}, rule)) {
        EXPECT_FALSE(chunk.samples.empty());
        seen.insert(seen.end(), chunk.samples.begin(), chunk.samples.end());
      }
      std::ranges::sort(seen);
      EXPECT_EQ(seen, expected);
    }
  }
}

}  // namespace
}  // namespace yardstick::harness
