// Sharing prefixes changes no number, with every encoding and whatever the cache may take: bit for
// bit with the CPU's own kernels in float32, else to 1e-5.
#include <tuple>

#include <gtest/gtest.h>

#include "models/kernels/key_value_pages.hpp"
#include "tests/models/engine/related_requests.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::EngineOptions;
using models::Weights;
using position::Kind;

struct Computed {
  std::vector<Response> responses;
  std::int64_t tokens = 0;
};

Computed compute(const DecoderConfig& config, const Weights& weights, const EngineOptions& options,
                 const TinyStack& stack = {}) {
  Computed computed;
  computed.responses = tiny_engine(config, weights, options, stack)
                           ->respond(related_requests(config.vocabulary), [&](std::int64_t done) {
                             computed.tokens += done;
                             return models::Continue::kYes;
                           });
  return computed;
}

/// Bit for bit where the stack's own kernels compute.
void expect_same(const std::vector<Response>& shared, const std::vector<Response>& alone,
                 const TinyStack& stack) {
  if (stack.attention == nullptr) {
    EXPECT_EQ(shared, alone);
  } else {
    expect_near(shared, alone, 1e-5);
  }
}

class Sharing : public testing::TestWithParam<PositionsAndStack> {};

TEST_P(Sharing, GivesTheSameNumbersForFewerTokens) {
  const auto& [positions, stack] = GetParam();
  const DecoderConfig config = positions.config();
  const Weights weights = tiny_weights(config);
  const Computed alone = compute(config, weights, {.sharing = models::Sharing::kOff}, stack);
  std::int64_t a_token = 0;  // bytes of its keys, in all versions, and values
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const int versions = position::key_versions(tiny_encoding(config)->reach(layer).kind);
    const models::kernels::HeadShape shape{
        .kv_heads = config.kv_heads, .head_dim = config.head_dim, .key_versions = versions};
    const std::int64_t floats = stack.attention == nullptr
                                    ? models::kernels::KeyValuePages::floats(shape, 0, 64) / 64
                                    : (versions + 1) * config.kv_heads * config.head_dim;
    a_token += floats * std::int64_t{sizeof(float)};
  }
  for (const std::int64_t batch_tokens : {4096, 200, 64}) {
    // Room for everything; for the haystack but not for all at once; for a part of it; for nothing.
    for (const std::int64_t cached_tokens : {100000, 140, 64, 0}) {
      SCOPED_TRACE(testing::Message() << "batch " << batch_tokens << ", cache " << cached_tokens);
      const Computed shared = compute(config, weights,
                                      {.batch_tokens = batch_tokens,
                                       .attention_tile_tokens = 48,
                                       .cache_bytes = cached_tokens * a_token},
                                      stack);
      expect_same(shared.responses, alone.responses, stack);
      EXPECT_LE(shared.tokens, alone.tokens);
      if (cached_tokens == 100000) {
        EXPECT_LT(shared.tokens, alone.tokens * 6 / 10);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Positions, Sharing,
                         testing::Combine(testing::ValuesIn(tiny_positions()),
                                          testing::ValuesIn(tiny_stacks())),
                         [](const auto& test) { return name_of(test.param); });

class SharingOfDynamicNtk : public testing::TestWithParam<TinyStack> {};

INSTANTIATE_TEST_SUITE_P(Stacks, SharingOfDynamicNtk, testing::ValuesIn(tiny_stacks()),
                         [](const testing::TestParamInfo<TinyStack>& test) {
                           return name_of(test.param);
                         });

// Dynamic NTK's frequencies depend on the total length (Hugging Face's "dynamic"): sequences of
// different lengths share nothing, those of one length do.
TEST_P(SharingOfDynamicNtk, StaysWithinOneTotalLength) {
  DecoderConfig config = tiny_config(Kind::kRope);
  config.position.scaling.kind = position::ScalingKind::kDynamicNtk;
  config.position.scaling.factor = 2.0;
  config.position.scaling.original_length = 64;
  const Weights weights = tiny_weights(config);
  const Computed alone = compute(config, weights, {.sharing = models::Sharing::kOff}, GetParam());
  const Computed shared = compute(config, weights, {}, GetParam());
  expect_same(shared.responses, alone.responses, GetParam());
  // Four choices of one length: 3 x 150 tokens less; three needles of one length: 2 x 130 less.
  EXPECT_EQ(alone.tokens - shared.tokens, 3 * 150 + 2 * 130);
}

}  // namespace
}  // namespace yardstick::test
