// The CPU's own forward pass against the one of LibTorch operations with the plain attention: two
// implementations of one decoder.
#include <cmath>

#include <ATen/ops/max.h>
#include <gtest/gtest.h>

#include "models/attention/attention.hpp"
#include "tests/models/engine/decoder_variants.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;

std::vector<Variant> with_token_wise_variants(std::vector<Variant> all) {
  all.insert(all.end(), token_wise_variants().begin(), token_wise_variants().end());
  return all;
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = with_token_wise_variants({
      {"Rope"},
      {"GroupedHeads", position::Kind::kRope, 2},
      {"Interleaved", position::Kind::kRope, 4,
       [](DecoderConfig& c) { c.position.layout = position::PairLayout::kInterleaved; }},
      {"Alibi", position::Kind::kAlibi},
      {"Fope", position::Kind::kFope},
      {"LayerNorm", position::Kind::kNone, 4,
       [](DecoderConfig& c) {
         c.norm = {models::NormKind::kLayer, models::NormParameters::kWeightAndBias, 1e-5};
       }},
      {"NormsWithoutWeights", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.norm = {models::NormKind::kLayer, models::NormParameters::kNone, 1e-5};
       }},
      {"GeluWithBiases", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.mlp = models::MlpForm::kPlain;
         c.activation = models::Activation::kGelu;
         c.attention_biases = c.attention_out_bias = c.mlp_biases = c.head_bias =
             models::Biases::kPresent;
       }},
      {"ReluAndClip", position::Kind::kNone, 4,
       [](DecoderConfig& c) {
         c.mlp = models::MlpForm::kPlain;
         c.activation = models::Activation::kRelu;
         c.clip_qkv = 0.8;
       }},
      {"QueryAndKeyNorm", position::Kind::kRope, 2,
       [](DecoderConfig& c) { c.qk_norm.over = models::QkNorm::Over::kWholeProjection; }},
      {"TiedAndScaled", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.head = models::Head::kTied;
         c.logit_scale = 1.0 / std::sqrt(static_cast<double>(c.width));
         c.embedding_norm = DecoderConfig::EmbeddingNorm::kPresent;
       }},
      {"AttentionScale", position::Kind::kRope, 2,
       [](DecoderConfig& c) { c.attention_scale = 0.4; }},
      {"ScoresDividedByLayer", position::Kind::kAlibi, 2,
       [](DecoderConfig& c) { c.attention_divisor = models::LayerDivisor::kLayerNumber; }},
      {"AttentionSoftCap", position::Kind::kAlibi, 4,
       [](DecoderConfig& c) { c.attention_soft_cap = 0.8; }},
      {"PartlyRotated", position::Kind::kRope, 2,
       [](DecoderConfig& c) { c.position.rotary_dims = 6; }},
      {"PartlyRotatedInterleaved", position::Kind::kRope, 2,
       [](DecoderConfig& c) {
         c.position.rotary_dims = 6;
         c.position.layout = position::PairLayout::kInterleaved;
       }},
      {"LayoutsByLayer", position::Kind::kRope, 2,
       [](DecoderConfig& c) {
         c.layer_plans.names = {"halves", "interleaved"};
         c.layer_plans.others = {c.position};
         c.layer_plans.others[0].layout = position::PairLayout::kInterleaved;
         c.layer_plans.others[0].theta = 100;
         c.layer_plans.of_layer = {0, 1, 1};
       }},
      {"QueriesByLogN", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.position.query_scale.kind = position::QueryScale::Kind::kLogN;
         c.position.query_scale.original_length = 20;
       }},
      // What is cut into parts: the MLP's middle, with and without a rest, and head_dim 64.
      {"WideMlp", position::Kind::kRope, 4, [](DecoderConfig& c) { c.mlp_width = 608; }},
      {"WideMlpOfOddWidth", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.mlp_width = 611;
         c.mlp_biases = models::Biases::kPresent;
       }},
      {"WideGelu", position::Kind::kRope, 4,
       [](DecoderConfig& c) {
         c.mlp = models::MlpForm::kPlain;
         c.activation = models::Activation::kGelu;
         c.mlp_width = 611;
         c.mlp_biases = models::Biases::kPresent;
       }},
      {"WideHeads", position::Kind::kRope, 2,
       [](DecoderConfig& c) {
         c.head_dim = 64;
         c.position = tiny_plan(position::Kind::kRope, c.heads, c.head_dim);
         c.position.kv_heads = c.kv_heads;
       }},
  });
  return all;
}

class Stack : public testing::TestWithParam<std::size_t> {};

/// Sequences of 70 and 131 tokens, the second in two passes; hidden states of all rows.
at::Tensor run(models::Decoder& decoder, std::int64_t vocabulary) {
  const auto batch_of = [&](const char* name, std::int64_t count) {
    const at::Tensor tokens = at::empty({count}, at::TensorOptions().dtype(at::kLong));
    const std::vector<TokenId> ids = random_tokens(name, count, vocabulary);
    std::copy(ids.begin(), ids.end(), tokens.data_ptr<std::int64_t>());
    return tokens;
  };
  models::KvCache cache = decoder.make_cache(0, 131);
  at::Tensor out = at::empty({201, decoder.config().width});
  models::PackedBatch first{.tokens = batch_of("first", 170)};
  first.sequences = {{.row_begin = 0, .row_count = 70, .total_length = 70},
                     {.row_begin = 70, .row_count = 100, .total_length = 131, .cache = &cache}};
  out.narrow(0, 0, 170).copy_(decoder.hidden(first));
  models::PackedBatch second{.tokens = batch_of("second", 31)};
  second.sequences = {{.row_begin = 0,
                       .row_count = 31,
                       .first_position = 100,
                       .total_length = 131,
                       .cache = &cache}};
  out.narrow(0, 170, 31).copy_(decoder.hidden(second));
  return out;
}

void expect_the_same_of_both_stacks(const DecoderConfig& config) {
  const models::Weights weights = tiny_weights(config);
  const auto encoding = tiny_encoding(config);
  models::Decoder own(config, weights, encoding, {});
  models::Decoder plain(config, weights, encoding, {.attention = &attention::reference_backend()});
  ASSERT_EQ(own.attention_name(), "cpu");
  ASSERT_EQ(plain.attention_name(), "reference");
  const at::Tensor expected = run(plain, config.vocabulary);
  const at::Tensor actual = run(own, config.vocabulary);
  EXPECT_LT(actual.sub(expected).abs().max().item<float>(), 5e-5F);
  const at::Tensor logits = own.logits(actual).sub(plain.logits(expected));
  EXPECT_LT(logits.abs().max().item<float>(), 2e-4F);
}

TEST_P(Stack, OfTheCpuEqualsLibTorchs) {
  const Variant& variant = variants()[GetParam()];
  expect_the_same_of_both_stacks(variant.config());
}

INSTANTIATE_TEST_SUITE_P(Variants, Stack, testing::Range(std::size_t{0}, variants().size()),
                         [](const testing::TestParamInfo<std::size_t>& test) {
                           return std::string(variants()[test.param].name);
                         });

class StackOfPositions : public testing::TestWithParam<TinyPositions> {};

TEST_P(StackOfPositions, OfTheCpuEqualsLibTorchs) {
  expect_the_same_of_both_stacks(GetParam().config());
}

INSTANTIATE_TEST_SUITE_P(Positions, StackOfPositions, testing::ValuesIn(tiny_positions()),
                         [](const testing::TestParamInfo<TinyPositions>& test) {
                           return name_of(test.param);
                         });

TEST(Stack, EveryPackedWeightIsNamedOnce) {
  const DecoderConfig config = tiny_config(position::Kind::kRope);
  std::map<std::string, int> packed;
  const models::Decoder decoder(config, tiny_weights(config), tiny_encoding(config),
                                {.on_packed = [&](const std::string& name) { ++packed[name]; }});
  for (const auto& [name, shape] : models::decoder_tensors(config)) {
    const bool is_matrix = shape.size() == 2 && name != "embed.weight";
    EXPECT_EQ(packed[name], is_matrix ? 1 : 0) << name;
  }
}

}  // namespace
}  // namespace yardstick::test
