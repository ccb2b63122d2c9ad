#include "models/decoder/torch_layers.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/decoder/tensors.hpp"

namespace yardstick::models {
namespace {

at::Tensor as_float(const at::Tensor& x) { return x.defined() ? x.to(at::kFloat) : at::Tensor(); }

/// [parts x width] -> [parts, width]; one part, or weights that all parts share, as they are.
at::Tensor by_part(const at::Tensor& x, std::int64_t width) {
  return !x.defined() || x.size(0) == width ? x : x.reshape({-1, width});
}

}  // namespace

WeightReader::WeightReader(const DecoderConfig& config, const Weights& weights,
                           attention::Need::Gradient gradient)
    : config_(config), weights_(weights), gradient_(gradient) {}

at::Tensor WeightReader::find(const std::string& name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? at::Tensor() : found->second;
}

NormLayer WeightReader::norm(const std::string& name) const {
  return {config_.norm, as_float(find(name + ".weight")), as_float(find(name + ".bias"))};
}

Linear WeightReader::linear(const std::vector<std::string>& names) const {
  std::vector<Linear::Part> parts;
  for (const std::string& name : names)
    parts.push_back({find(name + ".weight"), find(name + ".bias")});
  return Linear(std::move(parts), gradient_);
}

std::optional<QkNormLayer> WeightReader::qk_norm(const std::string& name,
                                                 std::int64_t heads) const {
  const std::optional<QkNormShape> shape = qk_norm_shape(config_, heads);
  if (!shape) return std::nullopt;
  return QkNormLayer{shape->parts,
                     {config_.qk_norm.norm, by_part(as_float(find(name + ".weight")), shape->width),
                      by_part(as_float(find(name + ".bias")), shape->width)}};
}

Layer WeightReader::layer(std::int64_t index) const {
  const std::string prefix = fmt::format("layers.{}.", index);
  const LayerNorms norms = layer_norms(config_);
  const auto norm_if = [&](bool is_there, const char* name) {
    return is_there ? std::optional(norm(prefix + name)) : std::nullopt;
  };
  Layer layer{.attention_norm = norm_if(norms.attention, "attn_norm"),
              .qkv = linear({prefix + "q", prefix + "k", prefix + "v"}),
              .query_norm = qk_norm(prefix + "q_norm", config_.heads),
              .key_norm = qk_norm(prefix + "k_norm", config_.kv_heads),
              .out = linear({prefix + "o"}),
              .attention_post_norm = norm_if(norms.attention_post, "attn_post_norm"),
              .mlp_norm = norm_if(norms.mlp, "mlp_norm"),
              .mlp_in = config_.mlp == MlpForm::kGated ? linear({prefix + "gate", prefix + "up"})
                                                       : linear({prefix + "up"}),
              .mlp_out = linear({prefix + "down"}),
              .mlp_post_norm = norm_if(norms.mlp_post, "mlp_post_norm")};
  if (config_.block == BlockForm::kParallelSharedNorm) layer.mlp_norm = layer.attention_norm;
  return layer;
}

}  // namespace yardstick::models
