// Small decoders with seeded random weights, for properties that hold for any model.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
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

inline std::shared_ptr<const position::Encoding> tiny_encoding(
    const models::DecoderConfig& config) {
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
  return position::make_encoding(config.position, std::move(coefficients));
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

/// What a test over encodings and stacks takes.
using KindAndStack = std::tuple<position::Kind, TinyStack>;

inline std::string name_of(const KindAndStack& kind_and_stack) {
  const auto& [kind, stack] = kind_and_stack;
  return std::string(position::to_string(kind)) + "_" + name_of(stack);
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
