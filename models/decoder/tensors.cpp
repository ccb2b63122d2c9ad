#include "models/decoder/tensors.hpp"

#include <utility>

#include <fmt/format.h>

namespace yardstick::models {
namespace {

using Shape = std::vector<std::int64_t>;

void add_norm(std::vector<DecoderTensor>& out, const std::string& name, NormParameters parameters,
              std::int64_t width) {
  if (parameters != NormParameters::kNone) out.push_back({name + ".weight", {width}});
  if (parameters == NormParameters::kWeightAndBias) out.push_back({name + ".bias", {width}});
}

void add_linear(std::vector<DecoderTensor>& out, const std::string& name, Biases biases,
                Shape shape) {
  const std::int64_t rows = shape.front();
  out.push_back({name + ".weight", std::move(shape)});
  if (biases == Biases::kPresent) out.push_back({name + ".bias", {rows}});
}

void add_qk_norm(std::vector<DecoderTensor>& out, const std::string& name,
                 const DecoderConfig& config, std::int64_t heads) {
  if (const auto shape = qk_norm_shape(config, heads))
    add_norm(out, name, config.qk_norm.norm.parameters, shape->weights);
}

void add_layer(std::vector<DecoderTensor>& out, const std::string& prefix,
               const DecoderConfig& config) {
  const std::int64_t width = config.width;
  const std::int64_t query_width = config.heads * config.head_dim;
  const std::int64_t key_width = config.kv_heads * config.head_dim;
  const LayerNorms norms = layer_norms(config);
  const NormParameters parameters = config.norm.parameters;
  if (norms.attention) add_norm(out, prefix + "attn_norm", parameters, width);
  add_linear(out, prefix + "q", config.attention_biases, {query_width, width});
  add_linear(out, prefix + "k", config.attention_biases, {key_width, width});
  add_linear(out, prefix + "v", config.attention_biases, {key_width, width});
  add_qk_norm(out, prefix + "q_norm", config, config.heads);
  add_qk_norm(out, prefix + "k_norm", config, config.kv_heads);
  add_linear(out, prefix + "o", config.attention_out_bias, {width, query_width});
  if (norms.attention_post) add_norm(out, prefix + "attn_post_norm", parameters, width);
  if (norms.mlp) add_norm(out, prefix + "mlp_norm", parameters, width);
  if (config.mlp == MlpForm::kGated) {
    add_linear(out, prefix + "gate", config.mlp_biases, {config.mlp_width, width});
  }
  add_linear(out, prefix + "up", config.mlp_biases, {config.mlp_width, width});
  add_linear(out, prefix + "down", config.mlp_biases, {width, config.mlp_width});
  if (norms.mlp_post) add_norm(out, prefix + "mlp_post_norm", parameters, width);
}

}  // namespace

LayerNorms layer_norms(const DecoderConfig& config) {
  const bool before = config.norm_placement != NormPlacement::kAfter;
  const bool behind = config.norm_placement != NormPlacement::kBefore;
  return {.attention = before,
          .attention_post = behind,
          .mlp = before && config.block != BlockForm::kParallelSharedNorm,
          .mlp_post = behind};
}

std::optional<QkNormShape> qk_norm_shape(const DecoderConfig& config, std::int64_t heads) {
  const std::int64_t all = heads * config.head_dim;
  switch (config.qk_norm.over) {
    case QkNorm::Over::kNone: return std::nullopt;
    case QkNorm::Over::kWholeProjection: return QkNormShape{1, all, all};
    case QkNorm::Over::kHead: return QkNormShape{heads, config.head_dim, config.head_dim};
    case QkNorm::Over::kHeadOwnWeights: return QkNormShape{heads, config.head_dim, all};
  }
  return std::nullopt;
}

std::vector<DecoderTensor> decoder_tensors(const DecoderConfig& config) {
  std::vector<DecoderTensor> out;
  out.push_back({"embed.weight", {config.vocabulary, config.width}});
  if (config.position.kind == position::Kind::kLearned) {
    out.push_back({"positions.weight", {config.position.table_rows, config.width}});
  }
  if (config.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent) {
    add_norm(out, "embed_norm", config.norm.parameters, config.width);
  }
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    add_layer(out, fmt::format("layers.{}.", layer), config);
  }
  add_norm(out, "norm", config.norm.parameters, config.width);
  if (config.head == Head::kSeparate) {
    out.push_back({"head.weight", {config.vocabulary, config.width}});
  }
  if (config.head_bias == Biases::kPresent) out.push_back({"head.bias", {config.vocabulary}});
  return out;
}

}  // namespace yardstick::models
