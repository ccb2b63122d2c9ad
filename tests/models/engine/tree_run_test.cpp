// What a call of the engine computes and keeps, counted by hand: tokens, passes, and the most bytes
// of keys and values that live at a time.
#include <gtest/gtest.h>

#include "models/engine/answering.hpp"
#include "models/kernels/tile.hpp"
#include "tests/models/engine/related_requests.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::EngineOptions;
using position::Kind;

/// Keys and values of a token, all layers, f32. The CPU's pages have values in whole panels, which
/// are as wide as the instruction set has them: 16 or 32 numbers.
std::int64_t token_bytes(const DecoderConfig& config, const TinyStack& stack = {}) {
  std::int64_t values = config.head_dim;
  if (stack.attention == nullptr) {
    const std::int64_t panel = models::kernels::tile_functions().columns;
    values = (config.head_dim + panel - 1) / panel * panel;
  }
  return config.layers * config.kv_heads * (config.head_dim + values) * 4;
}

struct Answered {
  std::int64_t tokens = 0;
  int passes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t bytes_left = 0;
};

Answered answer(const DecoderConfig& config, const EngineOptions& options, const TinyStack& stack,
                const std::vector<Request>& requests) {
  models::EngineParts parts = tiny_parts(config, tiny_weights(config), options, stack);
  std::vector<Response> responses;
  Answered answered;
  const models::EngineProgress progress = [&](std::int64_t tokens) {
    answered.tokens += tokens;
    ++answered.passes;
    return models::Continue::kYes;
  };
  models::Answering answering(parts, requests, responses, progress);
  EXPECT_EQ(answering.run(), models::Continue::kYes);
  answered.peak_bytes = answering.cache_budget().peak();
  answered.bytes_left = answering.cache_budget().left();
  return answered;
}

class AnyStack : public testing::TestWithParam<TinyStack> {
 protected:
  DecoderConfig config_ = tiny_config(Kind::kRope);
};

INSTANTIATE_TEST_SUITE_P(Stacks, AnyStack, testing::ValuesIn(tiny_stacks()),
                         [](const testing::TestParamInfo<TinyStack>& test) {
                           return name_of(test.param);
                         });

/// A trunk of 128 tokens, behind it a branch of 64 that two requests share, and a third request;
/// each ends with 40 tokens of its own, the last of which predicts nothing.
std::vector<Request> trunk_and_branch(std::int64_t vocabulary) {
  const auto tokens = [&](const char* name, std::int64_t count) {
    return random_tokens(name, count, vocabulary);
  };
  const std::vector<TokenId> trunk = tokens("trunk", 128);
  const std::vector<TokenId> branch = joined(trunk, tokens("branch", 64));
  return {{.tokens = joined(branch, tokens("first", 40)), .score_from = 200},
          {.tokens = joined(branch, tokens("second", 40)), .score_from = 200},
          {.tokens = joined(trunk, tokens("third", 40)), .score_from = 140}};
}

struct Room {
  std::int64_t cached_tokens;  // that the budget has room for
  std::int64_t computed;       // tokens
  std::int64_t peak;           // cached tokens
};

constexpr Room kRooms[] = {
    {1000, 128 + 64 + 3 * 39, 192},
    {192, 128 + 64 + 3 * 39, 192},
    // The branch is not cached: what is behind it begins at the trunk's end.
    {128, 128 + 2 * (64 + 39) + 39, 128},
    // Half of the trunk is cached.
    {64, 64 + 2 * (64 + 64 + 39) + (64 + 39), 64},
    {0, 2 * 231 + 167, 0},
};

TEST_P(AnyStack, WhatDoesNotFitIsComputedFromTheNearestCachedTokenOn) {
  const std::vector<Request> requests = trunk_and_branch(config_.vocabulary);
  for (const Room& room : kRooms) {
    SCOPED_TRACE(room.cached_tokens);
    const Answered answered =
        answer(config_, {.cache_bytes = room.cached_tokens * token_bytes(config_, GetParam())},
               GetParam(), requests);
    EXPECT_EQ(answered.tokens, room.computed);
    EXPECT_EQ(answered.peak_bytes, room.peak * token_bytes(config_, GetParam()));
    EXPECT_EQ(answered.bytes_left, room.cached_tokens * token_bytes(config_, GetParam()));
  }
}

// The branch's own rows are asked for: they are computed once for that, and by each request behind.
TEST_P(AnyStack, RowsThatAreReadAreComputedThoughTheyAreNotCached) {
  std::vector<Request> requests = trunk_and_branch(config_.vocabulary);
  requests[0].score_from = 1;
  const Answered answered = answer(config_, {.cache_bytes = 128 * token_bytes(config_, GetParam())},
                                   GetParam(), requests);
  EXPECT_EQ(answered.tokens, 128 + 64 + 2 * (64 + 39) + 39);
}

// Every node is longer than a pass. The CPU's stack runs the branch's requests whole, from the
// trunk's end on; LibTorch's needs caches for its chunks, so the branch has one that can be shared.
TEST_P(AnyStack, LongNodesBeginWhereTheCacheEnds) {
  const bool runs_whole = GetParam().attention == nullptr;
  const EngineOptions options{.batch_tokens = 32,
                              .cache_bytes = 128 * token_bytes(config_, GetParam())};
  const Answered answered =
      answer(config_, options, GetParam(), trunk_and_branch(config_.vocabulary));
  EXPECT_EQ(answered.tokens, runs_whole ? 128 + 2 * (64 + 39) + 39 : 128 + 64 + 3 * 39);
  EXPECT_EQ(answered.peak_bytes,
            (runs_whole ? 128 : 128 + 64 + 39) * token_bytes(config_, GetParam()));
}

// A prompt of 64 tokens and its 5 new ones take two pages of 64 on the CPU, 69 tokens elsewhere.
TEST_P(AnyStack, PromptsLeaveRoomForTheirNewTokens) {
  std::vector<Request> requests;
  for (const char* name : {"1", "2", "3", "4", "5", "6"}) {
    requests.push_back({.tokens = random_tokens(name, 64, config_.vocabulary),
                        .score_from = 64,
                        .max_new_tokens = 5});
  }
  const std::int64_t a_request =
      (GetParam().attention == nullptr ? 128 : 69) * token_bytes(config_, GetParam());
  const Answered answered = answer(config_, {.cache_bytes = 3 * a_request}, GetParam(), requests);
  EXPECT_EQ(answered.peak_bytes, 3 * a_request);
  EXPECT_EQ(answered.passes, 2 * (1 + 4)) << "three prompts at a time, and four tokens behind each";
  EXPECT_EQ(answer(config_, {.cache_bytes = 0}, GetParam(), requests).peak_bytes, a_request);
}

// The most that one of these sequences needs alone: 300 tokens in chunks, or 90, 40, 50 and 5 new
// tokens whose caches begin inside pages of 64: 6 pages.
TEST_P(AnyStack, LiveBytesExceedTheBudgetByOneSequenceAtMost) {
  const std::vector<Request> requests = related_requests(config_.vocabulary);
  for (const std::int64_t batch_tokens : {4096, 64}) {
    for (const std::int64_t cached_tokens : {100000, 640, 320, 140, 0}) {
      SCOPED_TRACE(testing::Message() << "batch " << batch_tokens << ", cache " << cached_tokens);
      const std::int64_t budget = cached_tokens * token_bytes(config_, GetParam());
      const Answered answered = answer(
          config_, {.batch_tokens = batch_tokens, .cache_bytes = budget}, GetParam(), requests);
      EXPECT_LE(answered.peak_bytes, budget + 384 * token_bytes(config_, GetParam()));
      EXPECT_EQ(answered.bytes_left, budget);
    }
  }
}

// Scoring alone never needs a cache where long sequences may run whole.
TEST(LayerByLayer, ScoringKeepsToTheBudget) {
  const DecoderConfig config = tiny_config(Kind::kRope);
  std::vector<Request> requests = related_requests(config.vocabulary);
  for (Request& request : requests) request.max_new_tokens = 0;
  for (const std::int64_t batch_tokens : {4096, 64}) {
    for (const std::int64_t cached_tokens : {640, 320, 128, 64, 0}) {
      SCOPED_TRACE(testing::Message() << "batch " << batch_tokens << ", cache " << cached_tokens);
      const std::int64_t budget = cached_tokens * token_bytes(config);
      const EngineOptions options{.batch_tokens = batch_tokens, .cache_bytes = budget};
      EXPECT_LE(answer(config, options, {}, requests).peak_bytes, budget);
    }
  }
}

// A pass over 300 tokens holds one layer's keys and values and two rows of activations a token; the
// chunks' cache holds all layers'.
TEST(LayerByLayer, ALongSequenceRunsWholeIfThatTakesLessThanItsCache) {
  const std::vector<Request> requests = {
      {.tokens = random_tokens("long", 301, 101), .score_from = 1}};
  DecoderConfig config = tiny_config(Kind::kRope);
  const Answered whole = answer(config, {.batch_tokens = 64, .cache_bytes = 0}, {}, requests);
  EXPECT_EQ(whole.passes, 1);
  EXPECT_EQ(whole.peak_bytes, 0);
  config.layers = 1;
  const Answered chunks = answer(config, {.batch_tokens = 64, .cache_bytes = 0}, {}, requests);
  EXPECT_EQ(chunks.passes, 5);
  EXPECT_EQ(chunks.peak_bytes, 320 * token_bytes(config));
}

}  // namespace
}  // namespace yardstick::test
