// What must hold for any model: a response does not depend on batch, chunk, tile or vocabulary
// chunk; uniform logits give perplexity V; bad numbers are reported; positions act as they should.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/engine/tiny_model.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::Continue;
using models::DecoderConfig;
using models::Engine;
using models::Weights;
using position::Kind;

std::vector<Request> mixed_requests(std::int64_t vocabulary) {
  std::vector<Request> requests;
  for (const std::int64_t length : {1, 2, 3, 17, 40, 64, 65, 100, 131}) {
    requests.push_back({.tokens = random_tokens("r" + std::to_string(length), length, vocabulary),
                        .score_from = std::min<std::int64_t>(length, length % 3 == 0 ? 5 : 1),
                        .max_new_tokens = length % 4 == 0 ? 6 : 0});
    requests.back().score_from = std::min(requests.back().score_from, length);
  }
  return requests;
}

class AnyPositions : public testing::TestWithParam<TinyPositions> {
 protected:
  DecoderConfig config_ = GetParam().config();
  Weights weights_ = tiny_weights(config_);
};

INSTANTIATE_TEST_SUITE_P(Positions, AnyPositions, testing::ValuesIn(tiny_positions()),
                         [](const testing::TestParamInfo<TinyPositions>& test) {
                           return name_of(test.param);
                         });

TEST_P(AnyPositions, B13AResponseIsBitwiseTheSameAloneAndInAnyCompany) {
  for (const int threads : {1, 2, 3}) {
    const models::EngineOptions options{.threads = threads, .batch_tokens = 128};
    const std::unique_ptr<Engine> engine = tiny_engine(config_, weights_, options);
    const std::vector<Request> requests = mixed_requests(config_.vocabulary);
    const std::vector<Response> together = engine->respond(requests, {});
    ASSERT_EQ(together.size(), requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i)
      EXPECT_EQ(engine->respond({&requests[i], 1}, {}).front(), together[i]) << "request " << i;
    std::vector<Request> reversed(requests.rbegin(), requests.rend());
    const std::vector<Response> backwards = engine->respond(reversed, {});
    for (std::size_t i = 0; i < requests.size(); ++i)
      EXPECT_EQ(backwards[requests.size() - 1 - i], together[i]) << "request " << i;
  }
}

TEST_P(AnyPositions, ChunksDoNotMatter) {
  const std::vector<Request> requests = mixed_requests(config_.vocabulary);
  for (const TinyStack& stack : tiny_stacks()) {
    SCOPED_TRACE(name_of(stack));
    const std::vector<Response> whole =
        tiny_engine(config_, weights_, {}, stack)->respond(requests, {});
    for (const std::int64_t chunk : {1, 7, 50}) {
      expect_near(
          tiny_engine(config_, weights_, {.batch_tokens = chunk}, stack)->respond(requests, {}),
          whole, 1e-5);
    }
  }
}

// The tiled attention against the plain one, which knows no tiles.
TEST_P(AnyPositions, TilesDoNotMatter) {
  const std::vector<Request> requests = mixed_requests(config_.vocabulary);
  const std::vector<Response> plain =
      tiny_engine(config_, weights_, {}, {.attention = &attention::reference_backend()})
          ->respond(requests, {});
  for (const std::int64_t tile : {1, 9, 1000}) {
    expect_near(tiny_engine(config_, weights_, {.attention_tile_tokens = tile},
                            {.attention = &attention::tiled_backend()})
                    ->respond(requests, {}),
                plain, 1e-5);
  }
}

// A row of logits a time, then five (a row is 404 bytes), against all at once.
TEST_P(AnyPositions, VocabularyChunksDoNotMatter) {
  const std::vector<Request> requests = mixed_requests(config_.vocabulary);
  for (TinyStack stack : tiny_stacks()) {
    SCOPED_TRACE(name_of(stack));
    const std::vector<Response> whole =
        tiny_engine(config_, weights_, {}, stack)->respond(requests, {});
    for (const std::int64_t bytes : {1, 5 * 404}) {
      stack.loss_chunk_bytes = bytes;
      expect_near(tiny_engine(config_, weights_, {}, stack)->respond(requests, {}), whole, 1e-5);
    }
  }
}

TEST_P(AnyPositions, TheTrainingForwardPassGivesTheSameLogits) {
  const std::vector<TokenId> tokens = random_tokens("train", 40, config_.vocabulary);
  models::Decoder decoder(config_, weights_, tiny_encoding(config_),
                          {.gradient = attention::Need::Gradient::kNeeded});
  const at::Tensor ids = at::empty({40}, at::TensorOptions().dtype(at::kLong));
  std::copy(tokens.begin(), tokens.end(), ids.data_ptr<std::int64_t>());
  const at::Tensor hidden = decoder.hidden(
      {.tokens = ids, .sequences = {{.row_begin = 0, .row_count = 40, .total_length = 40}}});
  const at::Tensor expected = decoder.logits(hidden).contiguous();
  tiny_engine(config_, weights_)
      ->logits(tokens, [&](std::int64_t first, std::span<const float> rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          ASSERT_NEAR(
              rows[i],
              expected.data_ptr<float>()[first * config_.vocabulary + static_cast<std::int64_t>(i)],
              1e-4);
        }
      });
}

TEST_P(AnyPositions, GenerationIsTheArgmaxOfScoringEachStep) {
  const std::unique_ptr<Engine> engine = tiny_engine(config_, weights_);
  const Request request{.tokens = random_tokens("prompt", 20, config_.vocabulary),
                        .score_from = 20,
                        .max_new_tokens = 8};
  const Response response = engine->respond({&request, 1}, {}).front();
  ASSERT_EQ(response.generated.size(), 8U);
  Request check{.tokens = request.tokens, .score_from = 20};
  check.tokens.insert(check.tokens.end(), response.generated.begin(), response.generated.end());
  const Response scored = engine->respond({&check, 1}, {}).front();
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(scored.is_greedy[i], 1) << i;
    EXPECT_NEAR(scored.nll[i], response.generated_nll[i], 2e-5) << i;
  }
  Request stopping = request;
  stopping.stop_tokens = {response.generated[3]};
  const auto first =
      std::find(response.generated.begin(), response.generated.end(), response.generated[3]);
  EXPECT_EQ(engine->respond({&stopping, 1}, {}).front().generated,
            std::vector<TokenId>(response.generated.begin(), first));
}

TEST(Properties, UniformLogitsGivePerplexityV) {
  const DecoderConfig config = tiny_config(Kind::kRope);
  Weights weights = tiny_weights(config);
  weights["head.weight"] = weights["head.weight"].mul(0.0);
  const Request request{.tokens = random_tokens("u", 30, config.vocabulary), .score_from = 1};
  const Response response = tiny_engine(config, weights)->respond({&request, 1}, {}).front();
  for (const double nll : response.nll) EXPECT_NEAR(std::exp(nll), 101.0, 1e-3);
  EXPECT_THAT(response.is_greedy, testing::Each(0)) << "no token is the single likeliest";
}

TEST(Properties, ANumberThatIsNotFiniteIsReported) {
  const DecoderConfig config = tiny_config(Kind::kRope);
  Weights weights = tiny_weights(config);
  weights["layers.1.up.weight"] = weights["layers.1.up.weight"].clone();
  weights["layers.1.up.weight"].data_ptr<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Request> requests = {
      {.tokens = random_tokens("n", 12, config.vocabulary), .score_from = 1},
      {.tokens = random_tokens("n", 12, config.vocabulary), .score_from = 12, .max_new_tokens = 3}};
  for (const Response& response : tiny_engine(config, weights)->respond(requests, {})) {
    EXPECT_EQ(response.status, ResponseStatus::kNonFinite);
    EXPECT_TRUE(response.generated.empty());
  }
}

TEST(Properties, BadRequestsAreRefusedByNumber) {
  const DecoderConfig config = tiny_config(Kind::kNone);
  const std::unique_ptr<Engine> engine = tiny_engine(config, tiny_weights(config));
  const auto message = [&](const Request& bad) {
    const std::vector<Request> requests = {{.tokens = {1, 2}, .score_from = 1}, bad};
    return error_message([&] { static_cast<void>(engine->respond(requests, {})); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(message({.tokens = {1, 101}, .score_from = 1}),
              testing::AllOf(HasSubstr("request 2 of 2"), HasSubstr("token 1 is 101")));
  EXPECT_THAT(message({.tokens = {-1}, .score_from = 1}), HasSubstr("token 0 is -1"));
  EXPECT_THAT(message({.tokens = {}, .score_from = 1}), HasSubstr("no tokens"));
  EXPECT_THAT(message({.tokens = {3}, .score_from = 0}), HasSubstr("score_from is 0"));
}

class HalfPrecision : public testing::TestWithParam<at::ScalarType> {};

// 8 bits of mantissa (bf16) move a loss by a few hundredths of a nat here; a wrong cast moves it by
// whole nats.
TEST_P(HalfPrecision, LossesStayNearThoseOfFloat32) {
  const DecoderConfig config = tiny_config(Kind::kRope, 2);
  const Weights weights = tiny_weights(config);
  Weights rounded;
  for (const auto& [name, weight] : weights) rounded[name] = weight.to(GetParam());
  const Request request{.tokens = random_tokens("half", 50, config.vocabulary), .score_from = 1};
  const Response exact = tiny_engine(config, weights)->respond({&request, 1}, {}).front();
  const Response near = tiny_engine(config, rounded)->respond({&request, 1}, {}).front();
  double sum = 0;
  for (std::size_t i = 0; i < exact.nll.size(); ++i) sum += std::abs(exact.nll[i] - near.nll[i]);
  EXPECT_LT(sum / double(exact.nll.size()), 0.1);
  EXPECT_GT(sum, 0.0) << "the weights were rounded";
}

std::string type_name(const testing::TestParamInfo<at::ScalarType>& test) {
  return at::toString(test.param);
}

INSTANTIATE_TEST_SUITE_P(Types, HalfPrecision, testing::Values(at::kBFloat16, at::kHalf),
                         type_name);

TEST(Properties, AStopRequestEndsTheWork) {
  const DecoderConfig config = tiny_config(Kind::kNone);
  const std::unique_ptr<Engine> engine =
      tiny_engine(config, tiny_weights(config), {.batch_tokens = 16});
  std::vector<Request> requests;
  for (const char* const name : {"1", "2", "3", "4", "5"})
    requests.push_back({.tokens = random_tokens(name, 17, config.vocabulary), .score_from = 1});
  std::int64_t tokens = 0;
  const auto progress = [&](std::int64_t done) {
    tokens += done;
    return tokens >= 32 ? Continue::kStop : Continue::kYes;
  };
  EXPECT_TRUE(engine->respond(requests, progress).empty());
  EXPECT_EQ(tokens, 32);
}

/// How far the final hidden states move when the same tokens sit 41 positions later, with nothing
/// before them.
double shifted_difference(Kind kind) {
  DecoderConfig config = tiny_config(kind);
  const Weights weights = tiny_weights(config);
  models::Decoder decoder(config, weights, tiny_encoding(config), {});
  const std::vector<TokenId> tokens = random_tokens("shift", 24, config.vocabulary);
  const at::Tensor ids = at::empty({24}, at::TensorOptions().dtype(at::kLong));
  std::copy(tokens.begin(), tokens.end(), ids.data_ptr<std::int64_t>());
  const at::Tensor here = decoder.hidden(
      {.tokens = ids, .sequences = {{.row_begin = 0, .row_count = 24, .total_length = 24}}});
  const at::Tensor later = decoder.hidden(
      {.tokens = ids,
       .sequences = {{.row_begin = 0, .row_count = 24, .first_position = 41, .total_length = 65}}});
  return here.sub(later).abs().max().item<double>();
}

TEST(Positions, OnlyDistanceMattersForRopeAlibiAndNone) {
  EXPECT_LT(shifted_difference(Kind::kRope), 1e-4);
  EXPECT_EQ(shifted_difference(Kind::kAlibi), 0.0);
  EXPECT_EQ(shifted_difference(Kind::kNone), 0.0);
}

TEST(Positions, FopeDependsOnThePositionItself) {
  EXPECT_GT(shifted_difference(Kind::kFope), 1e-2);
}

TEST(DecoderWeights, MissingUnexpectedAndMisshapedAreNamedTogether) {
  const DecoderConfig config = tiny_config(Kind::kNone);
  Weights weights = tiny_weights(config);
  weights.erase("layers.2.o.weight");
  weights["layers.0.q.bias"] = random_tensor("b", {64});
  weights["norm.weight"] = random_tensor("n", {39});
  const std::string message = error_message(
      [&] { const models::Decoder decoder(config, weights, tiny_encoding(config), {}); });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("layers.2.o.weight is missing"),
                                      testing::HasSubstr("layers.0.q.bias is not expected"),
                                      testing::HasSubstr("norm.weight is [39], expected [40]")));
}

}  // namespace
}  // namespace yardstick::test
