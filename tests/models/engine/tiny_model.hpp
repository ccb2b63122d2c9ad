// Small decoders with seeded random weights, for properties that hold for any model.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "models/attention/attention.hpp"
#include "models/decoder/decoder.hpp"
#include "models/decoder/tensors.hpp"
#include "models/engine/torch_engine.hpp"
#include "models/position/encoding.hpp"
#include "models/position/frequencies.hpp"

namespace yardstick::test {

inline at::Tensor random_tensor(const std::string& purpose, const std::vector<std::int64_t>& shape,
                                double scale = 1.0) {
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kFloat));
  Random random(7, purpose);
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(scale * random.normal());
  return tensor;
}

inline position::PositionPlan tiny_plan(position::Kind kind, std::int64_t heads,
                                        std::int64_t head_dim) {
  position::PositionPlan plan;
  plan.kind = kind;
  plan.heads = heads;
  plan.kv_heads = heads;
  plan.head_dim = head_dim;
  plan.training_length = 64;
  const bool rotates = kind == position::Kind::kRope || kind == position::Kind::kFope;
  plan.rotary_dims = rotates ? head_dim : 0;
  if (kind == position::Kind::kFope) {
    plan.floor_frequency = 2 * 3.14159265358979 / 64;
    const position::FopeCounts counts = position::fope_counts(plan);
    plan.fope.input_count = counts.input;
    plan.fope.output_count = counts.output;
  }
  return plan;
}

/// Odd sizes on purpose: an MLP width that no vector divides, a vocabulary that no panel divides.
inline models::DecoderConfig tiny_config(position::Kind kind, std::int64_t kv_heads = 4) {
  models::DecoderConfig config;
  config.architecture = "test";
  config.vocabulary = 101;
  config.width = 40;
  config.layers = 3;
  config.heads = 4;
  config.kv_heads = kv_heads;
  config.head_dim = 16;
  config.mlp_width = 53;
  config.position = tiny_plan(kind, config.heads, config.head_dim);
  config.position.kv_heads = kv_heads;
  return config;
}

/// Stands for every bias that is no slope: by head, query and distance, as the reach counts it.
class TinyBias final : public position::Encoding {
 public:
  explicit TinyBias(position::PositionPlan plan) : plan_(std::move(plan)) {}

  const position::PositionPlan& plan() const override { return plan_; }
  std::optional<position::RotationShape> rotation(std::int64_t) const override { return {}; }
  void fill_rotation(const position::RotationQuery&, std::span<float>,
                     std::span<float>) const override {
    FAIL() << "a bias has no tables";
  }
  std::vector<double> bias_slopes(std::int64_t) const override { return {}; }
  bool has_bias(std::int64_t) const override { return true; }
  void fill_bias(const position::BiasQuery& query, std::span<float> bias) const override {
    std::int64_t key = query.first_key;
    for (float& x : bias) {
      const double distance = position::distance(reach(query.layer), query.query, key++);
      x = static_cast<float>(std::cos(distance + double(query.head) + 0.1 * double(query.query)) /
                             double(1 + query.layer));
    }
  }
  position::LengthUse length_use() const override { return position::LengthUse::kNone; }
  std::optional<std::int64_t> longest_sequence() const override { return {}; }
  std::vector<double> frequencies(std::int64_t) const override { return {}; }

 private:
  position::PositionPlan plan_;
};

/// The kind kT5Bias stands for TinyBias.
inline std::shared_ptr<const position::Encoding> tiny_encoding(
    const models::DecoderConfig& config) {
  if (config.position.kind == position::Kind::kT5Bias)
    return std::make_shared<TinyBias>(config.position);
  std::vector<position::LayerParameters> coefficients;
  if (config.position.kind == position::Kind::kFope) {
    const auto& fope = config.position.fope;
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
      const auto matrix = [&](const char* name) {
        const at::Tensor values =
            random_tensor(name + std::to_string(layer),
                          {config.heads * fope.input_count * fope.output_count}, 0.4);
        return std::vector<float>(values.data_ptr<float>(),
                                  values.data_ptr<float>() + values.numel());
      };
      coefficients.push_back({matrix("cos"), matrix("sin")});
    }
  }
  return position::make_layered_encoding(config.position, config.layer_plans,
                                         std::move(coefficients));
}

inline models::Weights tiny_weights(const models::DecoderConfig& config) {
  models::Weights weights;
  for (const auto& [name, shape] : models::decoder_tensors(config)) {
    weights[name] = shape.size() == 1
                        ? random_tensor(name, shape, 0.2).add(1.0)
                        : random_tensor(name, shape, 2.0 / std::sqrt(double(shape.back())));
  }
  return weights;
}

/// What computes a tiny model, and how it divides its work.
struct TinyStack {
  const attention::Backend* attention = nullptr;  ///< null = the CPU's own kernels
  std::int64_t loss_chunk_bytes = std::int64_t{1} << 20;
};

/// The CPU's own stack, then LibTorch's with each attention.
inline const std::vector<TinyStack>& tiny_stacks() {
  static const std::vector<TinyStack> all = {{},
                                             {.attention = &attention::reference_backend()},
                                             {.attention = &attention::tiled_backend()}};
  return all;
}

inline std::string name_of(const TinyStack& stack) {
  return stack.attention == nullptr ? "cpu" : std::string(stack.attention->name());
}

/// How a tiny model takes positions.
struct TinyPositions {
  const char* name = "";
  position::Kind kind = position::Kind::kRope;
  position::Reach reach = {};
  /// Of the middle layer, which then has no rotation.
  std::optional<position::Reach> middle = {};

  [[nodiscard]] models::DecoderConfig config(std::int64_t kv_heads = 4) const {
    models::DecoderConfig config = tiny_config(kind, kv_heads);
    config.position.reach = reach;
    if (!middle) return config;
    config.layer_plans.names = {"outer", "middle"};
    config.layer_plans.others = {config.position};
    config.layer_plans.others[0].kind = position::Kind::kNone;
    config.layer_plans.others[0].rotary_dims = 0;
    config.layer_plans.others[0].reach = *middle;
    config.layer_plans.of_layer = {0, 1, 0};
    return config;
  }
};

/// Windows and chunks that sequences of a few hundred tokens leave.
inline const std::vector<TinyPositions>& tiny_positions() {
  using position::Kind;
  using position::ReachKind;
  static const std::vector<TinyPositions> all = {
      {"none", Kind::kNone},
      {"rope", Kind::kRope},
      {"alibi", Kind::kAlibi},
      {"fope", Kind::kFope},
      {"bias", Kind::kT5Bias},
      {"window", Kind::kRope, {.kind = ReachKind::kWindow, .window = 20}},
      {"window_and_full",
       Kind::kRope,
       {.kind = ReachKind::kWindow, .window = 70},
       position::Reach()},
      {"full_and_lambda",
       Kind::kRope,
       {},
       position::Reach{.kind = ReachKind::kLambda, .window = 9, .sinks = 2}},
      {"streaming", Kind::kRope, {.kind = ReachKind::kStreaming, .window = 30, .sinks = 4}},
      {"lambda", Kind::kRope, {.kind = ReachKind::kLambda, .window = 30, .sinks = 7}},
      {"self_extend", Kind::kRope, {.kind = ReachKind::kSelfExtend, .window = 21, .group = 4}},
      {"rerope", Kind::kRope, {.kind = ReachKind::kReRope, .window = 33, .group = 3}},
      {"dual_chunk", Kind::kRope, {.kind = ReachKind::kDualChunk, .chunk = 25, .limit = 40}},
      {"fope_self_extend", Kind::kFope, {.kind = ReachKind::kSelfExtend, .window = 40, .group = 2}},
      {"bias_lambda", Kind::kT5Bias, {.kind = ReachKind::kLambda, .window = 30, .sinks = 7}},
  };
  return all;
}

inline std::string name_of(const TinyPositions& positions) { return positions.name; }

/// What a test over positions and stacks takes.
using PositionsAndStack = std::tuple<TinyPositions, TinyStack>;

inline std::string name_of(const PositionsAndStack& both) {
  const auto& [positions, stack] = both;
  return name_of(positions) + "_" + name_of(stack);
}

inline models::EngineParts tiny_parts(const models::DecoderConfig& config,
                                      const models::Weights& weights,
                                      const models::EngineOptions& options = {},
                                      const TinyStack& stack = {}) {
  const std::shared_ptr<const position::Encoding> encoding = tiny_encoding(config);
  return {.decoder = models::Decoder(config, weights, encoding,
                                     {.attention_tile_tokens = options.attention_tile_tokens,
                                      .attention = stack.attention}),
          .encoding = encoding,
          .options = options,
          .loss = {.generatable_ids = config.vocabulary, .chunk_bytes = stack.loss_chunk_bytes}};
}

inline std::unique_ptr<models::Engine> tiny_engine(const models::DecoderConfig& config,
                                                   const models::Weights& weights,
                                                   const models::EngineOptions& options = {},
                                                   const TinyStack& stack = {}) {
  return models::make_engine(tiny_parts(config, weights, options, stack));
}

inline std::vector<TokenId> random_tokens(const std::string& purpose, std::int64_t count,
                                          std::int64_t vocabulary) {
  Random random(11, purpose);
  std::vector<TokenId> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<TokenId>(random.below(static_cast<std::uint64_t>(vocabulary))));
  }
  return tokens;
}

/// The same tokens, and losses within `tolerance` of each other, relative to those above 1 nat.
inline void expect_near(const std::vector<Response>& actual, const std::vector<Response>& expected,
                        double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].status, expected[i].status) << "request " << i;
    ASSERT_EQ(actual[i].nll.size(), expected[i].nll.size());
    for (std::size_t t = 0; t < actual[i].nll.size(); ++t)
      ASSERT_NEAR(actual[i].nll[t], expected[i].nll[t],
                  tolerance * std::max(1.0, std::abs(expected[i].nll[t])))
          << "request " << i << ", " << t;
    EXPECT_EQ(actual[i].generated, expected[i].generated) << "request " << i;
  }
}

}  // namespace yardstick::test
