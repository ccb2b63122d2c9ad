// The decoder's tensors, derived from its configuration.
#include "models/decoder/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace yardstick::models {
namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;

void add_norm(Shapes& shapes, const std::string& name, NormParameters parameters,
              std::int64_t width) {
  if (parameters != NormParameters::kNone) shapes[name + ".weight"] = {width};
  if (parameters == NormParameters::kWeightAndBias) shapes[name + ".bias"] = {width};
}

struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

void add_linear(Shapes& shapes, const std::string& name, Biases biases, MatrixShape shape) {
  shapes[name + ".weight"] = {shape.rows, shape.columns};
  if (biases == Biases::kPresent) shapes[name + ".bias"] = {shape.rows};
}

void add_layer(Shapes& shapes, const std::string& prefix, const DecoderConfig& config) {
  const std::int64_t width = config.width;
  const std::int64_t query_width = config.heads * config.head_dim;
  const std::int64_t key_width = config.kv_heads * config.head_dim;
  add_norm(shapes, prefix + "attn_norm", config.norm.parameters, width);
  add_linear(shapes, prefix + "q", config.attention_biases, {query_width, width});
  add_linear(shapes, prefix + "k", config.attention_biases, {key_width, width});
  add_linear(shapes, prefix + "v", config.attention_biases, {key_width, width});
  if (config.qk_norm == QkNorm::kWholeProjection) {
    add_norm(shapes, prefix + "q_norm", config.qk_norm_parameters, query_width);
    add_norm(shapes, prefix + "k_norm", config.qk_norm_parameters, key_width);
  }
  add_linear(shapes, prefix + "o", config.attention_out_bias, {width, query_width});
  add_norm(shapes, prefix + "mlp_norm", config.norm.parameters, width);
  if (config.mlp == Mlp::kSwiGlu)
    add_linear(shapes, prefix + "gate", config.mlp_biases, {config.mlp_width, width});
  add_linear(shapes, prefix + "up", config.mlp_biases, {config.mlp_width, width});
  add_linear(shapes, prefix + "down", config.mlp_biases, {width, config.mlp_width});
}

}  // namespace

Shapes weight_shapes(const DecoderConfig& config) {
  Shapes shapes;
  shapes["embed.weight"] = {config.vocabulary, config.width};
  if (config.position.kind == position::Kind::kLearned)
    shapes["positions.weight"] = {config.position.table_rows, config.width};
  if (config.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent)
    add_norm(shapes, "embed_norm", config.norm.parameters, config.width);
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    add_layer(shapes, fmt::format("layers.{}.", layer), config);
  add_norm(shapes, "norm", config.norm.parameters, config.width);
  if (config.head == Head::kSeparate) shapes["head.weight"] = {config.vocabulary, config.width};
  if (config.head_bias == Biases::kPresent) shapes["head.bias"] = {config.vocabulary};
  return shapes;
}

void check_weights(const DecoderConfig& config, const Weights& weights) {
  const Shapes shapes = weight_shapes(config);
  std::string problems;
  for (const auto& [name, shape] : shapes) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      problems += fmt::format("\n  {} is missing", name);
    } else if (found->second.sizes() != at::IntArrayRef(shape)) {
      problems += fmt::format("\n  {} is [{}], expected [{}]", name,
                              fmt::join(found->second.sizes(), ", "), fmt::join(shape, ", "));
    }
  }
  for (const auto& [name, tensor] : weights) {
    if (!shapes.contains(name)) problems += fmt::format("\n  {} is not expected", name);
  }
  if (!problems.empty()) throw Error(ErrorKind::kModel, "the decoder's weights:" + problems);
}

}  // namespace yardstick::models
