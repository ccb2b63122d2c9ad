// Which tensors a decoder has, setting by setting: lists written here.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/decoder/tensors.hpp"
#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::NormKind;
using models::NormParameters;
using models::QkNorm;
using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Shape = std::vector<std::int64_t>;

/// Tensors of the first layer by name, its matrices' weights left out.
std::map<std::string, Shape> first_layer(const DecoderConfig& config) {
  std::map<std::string, Shape> found;
  const std::string prefix = "layers.0.";
  for (const auto& [name, shape] : models::decoder_tensors(config)) {
    if (name.starts_with(prefix) && shape.size() == 1) found[name.substr(prefix.size())] = shape;
  }
  return found;
}

DecoderConfig grouped() { return tiny_config(position::Kind::kRope, 2); }  // E 40, H 4, G 2, D 16

TEST(DecoderTensors, NormsStandWhereTheConfigurationPutsThem) {
  DecoderConfig config = grouped();
  EXPECT_THAT(first_layer(config), UnorderedElementsAre(std::pair("attn_norm.weight", Shape{40}),
                                                        std::pair("mlp_norm.weight", Shape{40})));
  config.norm_placement = models::NormPlacement::kAfter;
  EXPECT_THAT(first_layer(config),
              UnorderedElementsAre(std::pair("attn_post_norm.weight", Shape{40}),
                                   std::pair("mlp_post_norm.weight", Shape{40})));
  config.norm_placement = models::NormPlacement::kAround;
  config.norm.parameters = NormParameters::kWeightAndBias;
  EXPECT_THAT(
      first_layer(config),
      UnorderedElementsAre(
          std::pair("attn_norm.weight", Shape{40}), std::pair("attn_norm.bias", Shape{40}),
          std::pair("attn_post_norm.weight", Shape{40}),
          std::pair("attn_post_norm.bias", Shape{40}), std::pair("mlp_norm.weight", Shape{40}),
          std::pair("mlp_norm.bias", Shape{40}), std::pair("mlp_post_norm.weight", Shape{40}),
          std::pair("mlp_post_norm.bias", Shape{40})));
  config.norm.parameters = NormParameters::kNone;
  EXPECT_TRUE(first_layer(config).empty());
}

TEST(DecoderTensors, AParallelBlockHasTwoNormsOrSharesOne) {
  DecoderConfig config = grouped();
  config.block = models::BlockForm::kParallel;
  EXPECT_EQ(first_layer(config).size(), 2);
  config.block = models::BlockForm::kParallelSharedNorm;
  EXPECT_THAT(first_layer(config), ElementsAre(std::pair("attn_norm.weight", Shape{40})));
}

TEST(DecoderTensors, NormsOfQueriesAndKeysHaveTheirShapes) {
  DecoderConfig config = grouped();
  config.norm.parameters = NormParameters::kNone;
  const auto shapes = [&](QkNorm::Over over, NormParameters parameters) {
    config.qk_norm = {.over = over, .norm = {.kind = NormKind::kLayer, .parameters = parameters}};
    return first_layer(config);
  };
  using enum QkNorm::Over;
  EXPECT_THAT(
      shapes(kWholeProjection, NormParameters::kWeight),
      ElementsAre(std::pair("k_norm.weight", Shape{32}), std::pair("q_norm.weight", Shape{64})));
  EXPECT_THAT(
      shapes(kHead, NormParameters::kWeight),
      ElementsAre(std::pair("k_norm.weight", Shape{16}), std::pair("q_norm.weight", Shape{16})));
  EXPECT_THAT(
      shapes(kHeadOwnWeights, NormParameters::kWeightAndBias),
      ElementsAre(std::pair("k_norm.bias", Shape{32}), std::pair("k_norm.weight", Shape{32}),
                  std::pair("q_norm.bias", Shape{64}), std::pair("q_norm.weight", Shape{64})));
  EXPECT_TRUE(shapes(kHead, NormParameters::kNone).empty());
  EXPECT_TRUE(shapes(kNone, NormParameters::kWeight).empty());
}

TEST(DecoderTensors, ATiedHeadHasItsBiasAlone) {
  DecoderConfig config = grouped();
  config.head = models::Head::kTied;
  config.head_bias = models::Biases::kPresent;
  std::map<std::string, Shape> all;
  for (const auto& [name, shape] : models::decoder_tensors(config)) all[name] = shape;
  EXPECT_EQ(all.at("head.bias"), Shape{101});
  EXPECT_FALSE(all.contains("head.weight"));
}

}  // namespace
}  // namespace yardstick::test
