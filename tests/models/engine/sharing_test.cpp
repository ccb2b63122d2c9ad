// Sharing prefixes changes no number: bit for bit on the CPU in float32, with every encoding.
#include <gtest/gtest.h>

#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::EngineOptions;
using models::Weights;
using position::Kind;

std::vector<TokenId> joined(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Choices behind a context, lengths of one text, prompts that share a haystack and are continued,
/// and one prompt that is the beginning of another.
std::vector<Request> related_requests(std::int64_t vocabulary) {
  const auto tokens = [&](const std::string& name, std::int64_t count) {
    return random_tokens(name, count, vocabulary);
  };
  std::vector<Request> requests;
  const std::vector<TokenId> context = tokens("context", 150);
  for (const char* choice : {"a", "b", "c", "d"})
    requests.push_back({.tokens = joined(context, tokens(choice, 9)), .score_from = 150});
  const std::vector<TokenId> text = tokens("text", 300);
  for (const std::int64_t length : {33, 64, 128, 300})
    requests.push_back({.tokens = {text.begin(), text.begin() + length}, .score_from = 1});
  const std::vector<TokenId> haystack = tokens("haystack", 90);
  const std::vector<TokenId> more = joined(haystack, tokens("more", 40));
  for (const char* needle : {"n1", "n2", "n3"}) {
    requests.push_back(
        {.tokens = joined(more, tokens(needle, 50)), .score_from = 180, .max_new_tokens = 5});
  }
  requests.push_back({.tokens = haystack, .score_from = 90, .max_new_tokens = 4});
  requests.push_back({.tokens = more, .score_from = 100, .max_new_tokens = 4});
  return requests;
}

struct Computed {
  std::vector<Response> responses;
  std::int64_t tokens = 0;
};

Computed compute(const DecoderConfig& config, const Weights& weights,
                 const EngineOptions& options) {
  Computed computed;
  computed.responses = tiny_engine(config, weights, options)
                           ->respond(related_requests(config.vocabulary), [&](std::int64_t done) {
                             computed.tokens += done;
                             return models::Continue::kYes;
                           });
  return computed;
}

class Sharing : public testing::TestWithParam<Kind> {};

TEST_P(Sharing, GivesTheSameBitsForFewerTokens) {
  const DecoderConfig config = tiny_config(GetParam());
  const Weights weights = tiny_weights(config);
  const Computed alone = compute(config, weights, {.sharing = models::Sharing::kOff});
  const std::int64_t a_token = 2 * config.layers * config.kv_heads * config.head_dim * 4;
  for (const std::int64_t batch_tokens : {4096, 200, 64}) {
    // Room for everything; for the haystack but not for all at once; for nothing.
    for (const std::int64_t cached_tokens : {100000, 140, 0}) {
      const Computed shared = compute(
          config, weights, {.batch_tokens = batch_tokens, .cache_bytes = cached_tokens * a_token});
      EXPECT_EQ(shared.responses, alone.responses)
          << "batch " << batch_tokens << ", cache for " << cached_tokens;
      if (cached_tokens == 100000) {
        EXPECT_LT(shared.tokens, alone.tokens * 6 / 10);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, Sharing,
                         testing::Values(Kind::kNone, Kind::kRope, Kind::kAlibi, Kind::kFope),
                         [](const testing::TestParamInfo<Kind>& test) {
                           return std::string(position::to_string(test.param));
                         });

// Dynamic NTK's frequencies depend on the total length (Hugging Face's "dynamic"): sequences of
// different lengths share nothing, those of one length do.
TEST(SharingOfDynamicNtk, StaysWithinOneTotalLength) {
  DecoderConfig config = tiny_config(Kind::kRope);
  config.position.scaling.kind = position::ScalingKind::kDynamicNtk;
  config.position.scaling.factor = 2.0;
  config.position.scaling.original_length = 64;
  const Weights weights = tiny_weights(config);
  const Computed alone = compute(config, weights, {.sharing = models::Sharing::kOff});
  const Computed shared = compute(config, weights, {});
  EXPECT_EQ(shared.responses, alone.responses);
  EXPECT_LT(shared.tokens, alone.tokens);
  // Four choices of one length: 3 x 150 tokens less; three needles of one length: 2 x 130 less.
  EXPECT_EQ(alone.tokens - shared.tokens, 3 * 150 + 2 * 130);
}

}  // namespace
}  // namespace yardstick::test
