#include "models/decoder/cpu_layers.hpp"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "models/decoder/tensors.hpp"

namespace yardstick::models::cpu {

std::vector<float> numbers(const at::Tensor& x) {
  if (!x.defined()) return {};
  const at::Tensor flat = x.to(at::kFloat).contiguous();
  const float* const first = flat.data_ptr<float>();
  return {first, first + flat.numel()};
}

namespace {

/// A norm's weight with its offset, added in f32.
std::vector<float> norm_weight(const at::Tensor& weight, const Norm& norm) {
  std::vector<float> out = numbers(weight);
  for (float& w : out) w += static_cast<float>(norm.weight_offset);
  return out;
}

/// `count` numbers from `first` on; none of none.
std::vector<float> part_of(const std::vector<float>& all, std::int64_t first, std::int64_t count) {
  if (all.empty()) return {};
  const auto begin = all.begin() + first;
  return {begin, begin + count};
}

}  // namespace

Builder::Builder(const StackParts& parts, const std::function<void(const std::string&)>& on_packed)
    : config_(parts.config),
      weights_(parts.weights),
      storage_(find("embed.weight").scalar_type() == at::kBFloat16
                   ? kernels::WeightStorage::kBFloat16
                   : kernels::WeightStorage::kFloat32),
      on_packed_(on_packed) {}

at::Tensor Builder::find(const std::string& name) const {
  const auto found = weights_.find(name);
  return found == weights_.end() ? at::Tensor() : found->second;
}

NormLayer Builder::norm(const std::string& name) const {
  return {.kind = config_.norm.kind,
          .epsilon = config_.norm.epsilon,
          .width = config_.width,
          .weight = norm_weight(find(name + ".weight"), config_.norm),
          .bias = numbers(find(name + ".bias"))};
}

std::optional<QkNormLayer> Builder::qk_norm(const std::string& name, std::int64_t heads) const {
  const std::optional<QkNormShape> shape = qk_norm_shape(config_, heads);
  if (!shape) return std::nullopt;
  const Norm& norm = config_.qk_norm.norm;
  const std::vector<float> weight = norm_weight(find(name + ".weight"), norm);
  const std::vector<float> bias = numbers(find(name + ".bias"));
  QkNormLayer layer{.parts = shape->parts, .norms = {}};
  for (std::int64_t first = 0; first < shape->weights; first += shape->width) {
    layer.norms.push_back({.kind = norm.kind,
                           .epsilon = norm.epsilon,
                           .width = shape->width,
                           .weight = part_of(weight, first, shape->width),
                           .bias = part_of(bias, first, shape->width)});
  }
  return layer;
}

Projection Builder::projection(const std::vector<std::string>& names) const {
  std::vector<at::Tensor> kept;  // what the spans point at
  std::vector<std::span<const float>> spans;
  std::vector<float> bias;
  bool has_bias = false;
  for (const std::string& name : names) {
    const at::Tensor& weight =
        kept.emplace_back(find(name + ".weight").to(at::kFloat).contiguous());
    spans.emplace_back(weight.data_ptr<float>(), static_cast<std::size_t>(weight.numel()));
    std::vector<float> own = numbers(find(name + ".bias"));
    has_bias = has_bias || !own.empty();
    own.resize(static_cast<std::size_t>(weight.size(0)));
    bias.insert(bias.end(), own.begin(), own.end());
  }
  if (!has_bias) bias.clear();
  Projection out{PackedMatrix(spans, kept.front().size(1), storage_), std::move(bias)};
  if (on_packed_) {
    for (const std::string& name : names) on_packed_(name + ".weight");
  }
  return out;
}

Layer Builder::layer(std::int64_t index) const {
  const std::string prefix = fmt::format("layers.{}.", index);
  const bool gated = config_.mlp == MlpForm::kGated;
  const LayerNorms norms = layer_norms(config_);
  const auto norm_if = [&](bool is_there, const char* name) {
    return is_there ? std::optional(norm(prefix + name)) : std::nullopt;
  };
  Layer layer{
      .attention_norm = norm_if(norms.attention, "attn_norm"),
      .qkv = projection({prefix + "q", prefix + "k", prefix + "v"}),
      .query_norm = qk_norm(prefix + "q_norm", config_.heads),
      .key_norm = qk_norm(prefix + "k_norm", config_.kv_heads),
      .out = projection({prefix + "o"}),
      .attention_post_norm = norm_if(norms.attention_post, "attn_post_norm"),
      .mlp_norm = norm_if(norms.mlp, "mlp_norm"),
      .mlp_in = gated ? projection({prefix + "gate", prefix + "up"}) : projection({prefix + "up"}),
      .mlp_out = projection({prefix + "down"}),
      .mlp_post_norm = norm_if(norms.mlp_post, "mlp_post_norm")};
  if (config_.block == BlockForm::kParallelSharedNorm) layer.mlp_norm = layer.attention_norm;
  return layer;
}

}  // namespace yardstick::models::cpu
