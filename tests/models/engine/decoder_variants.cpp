#include "tests/models/engine/decoder_variants.hpp"

#include "tests/models/engine/tiny_model.hpp"

namespace yardstick::test {
namespace {

using models::Activation;
using models::Biases;
using models::BlockForm;
using models::DecoderConfig;
using models::MlpForm;
using models::Norm;
using models::NormKind;
using models::NormParameters;
using models::NormPlacement;
using models::QkNorm;
using models::Residual;
using position::Kind;

constexpr Norm kLayerNorm = {NormKind::kLayer, NormParameters::kWeightAndBias, 1e-5, 0.0};
constexpr Norm kLayerNormWithoutBias = {NormKind::kLayer, NormParameters::kWeight, 1e-5, 0.0};
constexpr Norm kNormWithoutWeight = {NormKind::kRms, NormParameters::kNone, 1e-6, 0.0};
constexpr Norm kOffsetNorm = {NormKind::kRms, NormParameters::kWeight, 1e-6, -0.25};

/// Each activation in both forms, but SiLU gated, which all others have.
void add_activations(std::vector<Variant>& all) {
  const auto add = [&](const char* name, MlpForm form, Activation activation) {
    all.push_back({name, Kind::kRope, 4, [form, activation](DecoderConfig& c) {
                     c.mlp = form;
                     c.activation = activation;
                   }});
  };
  add("Silu", MlpForm::kPlain, Activation::kSilu);
  add("Gelu", MlpForm::kPlain, Activation::kGelu);
  add("GeluGated", MlpForm::kGated, Activation::kGelu);
  add("GeluTanh", MlpForm::kPlain, Activation::kGeluTanh);
  add("GeluTanhGated", MlpForm::kGated, Activation::kGeluTanh);
  add("Relu", MlpForm::kPlain, Activation::kRelu);
  add("ReluGated", MlpForm::kGated, Activation::kRelu);
  add("ReluSquared", MlpForm::kPlain, Activation::kReluSquared);
  add("ReluSquaredGated", MlpForm::kGated, Activation::kReluSquared);
}

void add_norms(std::vector<Variant>& all) {
  const auto add = [&](const char* name, std::function<void(DecoderConfig&)> change) {
    all.push_back({name, Kind::kRope, 2, std::move(change)});
  };
  add("NormsAfter", [](DecoderConfig& c) { c.norm_placement = NormPlacement::kAfter; });
  add("NormsAround", [](DecoderConfig& c) { c.norm_placement = NormPlacement::kAround; });
  add("NormsAroundWithOffset", [](DecoderConfig& c) {
    c.norm_placement = NormPlacement::kAround;
    c.norm = kOffsetNorm;
  });
  add("LayerNormWithoutBias", [](DecoderConfig& c) { c.norm = kLayerNormWithoutBias; });
  add("RmsNormWithoutWeight", [](DecoderConfig& c) { c.norm = kNormWithoutWeight; });
  add("LayerNormAfter", [](DecoderConfig& c) {
    c.norm = kLayerNorm;
    c.norm_placement = NormPlacement::kAfter;
  });
  add("WholeNormOfItsOwn", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kWholeProjection, .norm = kLayerNorm};
  });
  add("HeadNorm", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kHead, .norm = {.epsilon = 1e-6}};
  });
  add("HeadNormWithOffset",
      [](DecoderConfig& c) { c.qk_norm = {.over = QkNorm::Over::kHead, .norm = kOffsetNorm}; });
  add("HeadLayerNorm",
      [](DecoderConfig& c) { c.qk_norm = {.over = QkNorm::Over::kHead, .norm = kLayerNorm}; });
  add("HeadNormAfterRotation", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kHead,
                 .order = QkNorm::Order::kAfterRotation,
                 .norm = {.epsilon = 1e-6}};
  });
  add("HeadNormWithoutWeightAfterRotation", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kHead,
                 .order = QkNorm::Order::kAfterRotation,
                 .norm = kNormWithoutWeight};
  });
  add("HeadNormOwnWeights",
      [](DecoderConfig& c) { c.qk_norm = {.over = QkNorm::Over::kHeadOwnWeights, .norm = {}}; });
  add("HeadLayerNormOwnWeights", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kHeadOwnWeights, .norm = kLayerNormWithoutBias};
  });
  add("HeadLayerNormOwnWeightsAndBiases", [](DecoderConfig& c) {
    c.qk_norm = {.over = QkNorm::Over::kHeadOwnWeights,
                 .order = QkNorm::Order::kAfterRotation,
                 .norm = kLayerNorm};
  });
}

void add_blocks(std::vector<Variant>& all) {
  const auto add = [&](const char* name, std::function<void(DecoderConfig&)> change) {
    all.push_back({name, Kind::kRope, 4, std::move(change)});
  };
  add("Parallel", [](DecoderConfig& c) { c.block = BlockForm::kParallel; });
  add("ParallelSharedNorm", [](DecoderConfig& c) {
    c.block = BlockForm::kParallelSharedNorm;
    c.norm = kLayerNorm;
    c.mlp_biases = c.attention_out_bias = Biases::kPresent;
  });
  add("ParallelNormsAround", [](DecoderConfig& c) {
    c.block = BlockForm::kParallel;
    c.norm_placement = NormPlacement::kAround;
    c.residual_scale = 0.7;
  });
  add("NormedInput", [](DecoderConfig& c) {
    c.residual = Residual::kNormedInput;
    c.norm = kLayerNorm;
  });
  add("NormedInputNormsAround", [](DecoderConfig& c) {
    c.residual = Residual::kNormedInput;
    c.norm_placement = NormPlacement::kAround;
  });
}

void add_scales(std::vector<Variant>& all) {
  const auto add = [&](const char* name, Kind kind, std::function<void(DecoderConfig&)> change) {
    all.push_back({name, kind, 4, std::move(change)});
  };
  add("EmbeddingScale", Kind::kRope, [](DecoderConfig& c) { c.embedding_scale = 6.5; });
  add("EmbeddingScaleNormAndTable", Kind::kLearned, [](DecoderConfig& c) {
    c.position.table_rows = 160;
    c.embedding_scale = 0.25;
    c.embedding_norm = DecoderConfig::EmbeddingNorm::kPresent;
    c.norm = kLayerNorm;
  });
  add("ResidualScale", Kind::kRope, [](DecoderConfig& c) { c.residual_scale = 0.22; });
  add("LogitScale", Kind::kRope, [](DecoderConfig& c) { c.logit_scale = 0.0625; });
  add("SoftCap", Kind::kRope, [](DecoderConfig& c) { c.logit_soft_cap = 3.0; });
  add("ScaleSoftCapAndHeadBias", Kind::kRope, [](DecoderConfig& c) {
    c.logit_scale = 0.5;
    c.logit_soft_cap = 1.5;
    c.head_bias = Biases::kPresent;
  });
  add("TiedHeadWithBias", Kind::kRope, [](DecoderConfig& c) {
    c.head = models::Head::kTied;
    c.head_bias = Biases::kPresent;
    c.embedding_scale = 3.0;
  });
}

}  // namespace

DecoderConfig Variant::config() const {
  DecoderConfig config = tiny_config(kind, kv_heads);
  change(config);
  return config;
}

const std::vector<Variant>& token_wise_variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> made;
    add_activations(made);
    add_norms(made);
    add_blocks(made);
    add_scales(made);
    return made;
  }();
  return all;
}

}  // namespace yardstick::test
