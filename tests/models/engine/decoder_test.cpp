// Both stacks of the decoder against a plain one in f64, setting by setting.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/engine/decoder_variants.hpp"
#include "tests/models/engine/plain_decoder.hpp"
#include "tests/models/engine/tiny_model.hpp"
#include "tests/support/errors.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::Weights;

constexpr std::int64_t kTokens = 37;

/// Hidden states [37, E] of a sequence in two passes, of 20 and 17 tokens.
at::Tensor hidden_of(models::Decoder& decoder, const std::vector<TokenId>& ids) {
  models::KvCache cache = decoder.make_cache(0, kTokens);
  at::Tensor hidden = at::empty({kTokens, decoder.config().width});
  for (const auto& [first, count] : {std::pair{0, 20}, std::pair{20, 17}}) {
    const at::Tensor tokens = at::empty({count}, at::TensorOptions().dtype(at::kLong));
    std::copy_n(ids.begin() + first, count, tokens.data_ptr<std::int64_t>());
    models::PackedBatch batch{.tokens = tokens};
    batch.sequences = {{.row_begin = 0,
                        .row_count = count,
                        .first_position = first,
                        .total_length = kTokens,
                        .cache = &cache}};
    hidden.narrow(0, first, count).copy_(decoder.hidden(batch));
  }
  return hidden;
}

void expect_logits(const models::Decoder& decoder, const at::Tensor& hidden,
                   const std::vector<Numbers>& expected) {
  const at::Tensor logits = decoder.logits(hidden).contiguous();
  const auto vocabulary = static_cast<std::size_t>(decoder.config().vocabulary);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t v = 0; v < vocabulary; ++v)
      ASSERT_NEAR(logits.data_ptr<float>()[i * vocabulary + v], expected[i][v], 2e-4)
          << "token " << i << ", logit " << v;
  }
}

void expect_losses(models::Decoder& decoder, const at::Tensor& hidden,
                   const std::vector<Numbers>& expected) {
  std::vector<models::TargetRow> rows;
  for (std::int64_t row = 0; row < kTokens; ++row) rows.push_back({row, 2 * row});
  const auto losses = decoder.losses(hidden, rows, decoder.config().vocabulary);
  ASSERT_TRUE(losses);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double total = 0;
    for (const double logit : expected[i]) total += std::exp(logit);
    EXPECT_NEAR((*losses)[i].log_sum, std::log(total), 2e-4) << i;
    EXPECT_NEAR((*losses)[i].target_logit, expected[i][2 * i], 2e-4) << i;
  }
}

class TokenWise : public testing::TestWithParam<std::size_t> {
 protected:
  DecoderConfig config_ = token_wise_variants()[GetParam()].config();
  Weights weights_ = tiny_weights(config_);
  std::vector<TokenId> ids_ = random_tokens("decoder", kTokens, config_.vocabulary);
};

INSTANTIATE_TEST_SUITE_P(Variants, TokenWise,
                         testing::Range(std::size_t{0}, token_wise_variants().size()),
                         [](const testing::TestParamInfo<std::size_t>& test) {
                           return std::string(token_wise_variants()[test.param].name);
                         });

TEST_P(TokenWise, LogitsAreThoseOfThePlainDecoder) {
  const std::vector<Numbers> expected = plain_logits(config_, weights_, ids_);
  for (const TinyStack& stack : tiny_stacks()) {
    SCOPED_TRACE(name_of(stack));
    models::Decoder decoder(config_, weights_, tiny_encoding(config_),
                            {.attention = stack.attention});
    expect_logits(decoder, hidden_of(decoder, ids_), expected);
  }
}

// Rounded weights are numbers like others: what is made of them in f32 has no error of bf16's size.
TEST_P(TokenWise, LossesAndBFloat16WeightsOnTheCpuFollowThePlainDecoder) {
  for (auto& [name, weight] : weights_) weight = weight.to(at::kBFloat16);
  const std::vector<Numbers> expected = plain_logits(config_, weights_, ids_);
  models::Decoder decoder(config_, weights_, tiny_encoding(config_), {});
  ASSERT_EQ(decoder.attention_name(), "cpu");
  const at::Tensor hidden = hidden_of(decoder, ids_);
  expect_logits(decoder, hidden, expected);
  expect_losses(decoder, hidden, expected);
}

TEST_P(TokenWise, TheForwardPassWithGradientsGivesTheSameLogits) {
  models::Decoder decoder(config_, weights_, tiny_encoding(config_),
                          {.gradient = attention::Need::Gradient::kNeeded});
  const at::Tensor tokens = at::empty({kTokens}, at::TensorOptions().dtype(at::kLong));
  std::copy(ids_.begin(), ids_.end(), tokens.data_ptr<std::int64_t>());
  models::PackedBatch batch{.tokens = tokens};
  batch.sequences = {{.row_begin = 0, .row_count = kTokens, .total_length = kTokens}};
  expect_logits(decoder, decoder.hidden(batch), plain_logits(config_, weights_, ids_));
}

/// No rotation, and rows that are added to embeddings.
class AddedRows final : public position::Encoding {
 public:
  static double row(std::int64_t position, std::int64_t element) {
    return std::sin(double(position) / double(element + 1));
  }

  explicit AddedRows(const position::PositionPlan& plan) : plan_(plan) {}
  const position::PositionPlan& plan() const override { return plan_; }
  std::optional<position::RotationShape> rotation(std::int64_t /*layer*/) const override {
    return std::nullopt;
  }
  void fill_rotation(const position::RotationQuery& /*query*/, std::span<float> /*cos*/,
                     std::span<float> /*sin*/) const override {}
  std::vector<double> bias_slopes(std::int64_t /*layer*/) const override { return {}; }
  bool adds_to_embedding() const override { return true; }
  void fill_embedding(std::int64_t position, std::span<float> out) const override {
    for (std::size_t e = 0; e < out.size(); ++e)
      out[e] = static_cast<float>(row(position, static_cast<std::int64_t>(e)));
  }
  position::LengthUse length_use() const override { return position::LengthUse::kNone; }
  std::optional<std::int64_t> longest_sequence() const override { return std::nullopt; }
  std::vector<double> frequencies(std::int64_t /*total_length*/) const override { return {}; }

 private:
  position::PositionPlan plan_;
};

TEST(Decoder, AddsTheEncodingsRowsToScaledEmbeddings) {
  DecoderConfig config = tiny_config(position::Kind::kNone);
  config.embedding_scale = 0.5;
  const Weights weights = tiny_weights(config);
  const std::vector<TokenId> ids = random_tokens("added", kTokens, config.vocabulary);
  const std::vector<Numbers> expected = plain_logits(config, weights, ids, AddedRows::row);
  for (const TinyStack& stack : tiny_stacks()) {
    SCOPED_TRACE(name_of(stack));
    models::Decoder decoder(config, weights, std::make_shared<AddedRows>(config.position),
                            {.attention = stack.attention});
    expect_logits(decoder, hidden_of(decoder, ids), expected);
  }
}

TEST(Decoder, RefusesANormedInputThatIsNone) {
  DecoderConfig config = tiny_config(position::Kind::kRope);
  config.residual = models::Residual::kNormedInput;
  const auto build = [&] {
    models::Decoder(config, tiny_weights(config), tiny_encoding(config), {});
  };
  build();
  for (const models::BlockForm block :
       {models::BlockForm::kParallel, models::BlockForm::kParallelSharedNorm}) {
    config.block = block;
    EXPECT_THAT(error_message(build), testing::HasSubstr("expected sequential blocks"));
  }
  config.block = models::BlockForm::kSequential;
  config.norm_placement = models::NormPlacement::kAfter;
  EXPECT_THAT(error_message(build), testing::HasSubstr("expected sequential blocks"));
}

}  // namespace
}  // namespace yardstick::test
