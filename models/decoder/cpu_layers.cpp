#include "models/decoder/cpu_layers.hpp"

#include <span>
#include <utility>

#include <fmt/format.h>

namespace yardstick::models::cpu {

std::vector<float> numbers(const at::Tensor& x) {
  if (!x.defined()) return {};
  const at::Tensor flat = x.to(at::kFloat).contiguous();
  const float* const first = flat.data_ptr<float>();
  return {first, first + flat.numel()};
}

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

NormLayer Builder::norm(const std::string& name, std::int64_t width) const {
  return {.kind = config_.norm.kind,
          .epsilon = config_.norm.epsilon,
          .width = width,
          .weight = numbers(find(name + ".weight")),
          .bias = numbers(find(name + ".bias"))};
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
  Layer layer{
      .attention_norm = norm(prefix + "attn_norm", config_.width),
      .qkv = projection({prefix + "q", prefix + "k", prefix + "v"}),
      .query_norm = std::nullopt,
      .key_norm = std::nullopt,
      .out = projection({prefix + "o"}),
      .mlp_norm = norm(prefix + "mlp_norm", config_.width),
      .mlp_in = gated ? projection({prefix + "gate", prefix + "up"}) : projection({prefix + "up"}),
      .mlp_out = projection({prefix + "down"})};
  if (config_.qk_norm.over == QkNorm::Over::kWholeProjection) {
    layer.query_norm = norm(prefix + "q_norm", config_.heads * config_.head_dim);
    layer.key_norm = norm(prefix + "k_norm", config_.kv_heads * config_.head_dim);
  }
  return layer;
}

}  // namespace yardstick::models::cpu
