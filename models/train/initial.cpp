#include "models/train/initial.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/random.hpp"

namespace yardstick::models {
namespace {

constexpr double kEmbeddingStd = 0.1;
/// Half of the spread that keeps a variance: at the start the residual stream is mostly the token's
/// own embedding, which later layers have to recognise.
constexpr double kProjectionGain = 0.5;

std::vector<float> normal_values(std::size_t count, double std, Random& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(std * random.normal());
  return values;
}

/// The name of another projection of the same layer: ("layers.0.k.weight", "q").
std::string sibling(const std::string& name, std::string_view projection) {
  const std::size_t end = name.rfind(".weight");
  const std::size_t begin = name.rfind('.', end - 1) + 1;
  return fmt::format("{}{}{}", name.substr(0, begin), projection, name.substr(end));
}

std::size_t element_count(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
  return count;
}

std::vector<float> normal_matrix(const DecoderTensor& tensor, double std, std::uint64_t seed) {
  Random random(seed, "initial/" + tensor.name);
  return normal_values(element_count(tensor.shape), std, random);
}

/// The key projection [G D, E]: each key head starts as the first query head that reads it, so that
/// a token attends to tokens like itself.
std::vector<float> key_like_query(const DecoderTensor& key, const DecoderConfig& config,
                                  std::uint64_t seed) {
  const DecoderTensor query{sibling(key.name, "q"), {config.heads * config.head_dim, config.width}};
  const std::vector<float> q = initial_values(query, config, seed);
  const auto block = static_cast<std::size_t>(config.head_dim * config.width);
  const auto group = static_cast<std::size_t>(config.heads / config.kv_heads);
  std::vector<float> values;
  for (std::size_t g = 0; g < static_cast<std::size_t>(config.kv_heads); ++g) {
    const auto begin = q.begin() + static_cast<std::ptrdiff_t>(g * group * block);
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(block));
  }
  return values;
}

/// The output projection [E, H D]: the value projection's transpose, scaled as a residual branch,
/// so that what a token attends to becomes more likely to be said.
std::vector<float> out_like_value(const DecoderTensor& out, const DecoderConfig& config,
                                  std::uint64_t seed) {
  const DecoderTensor value{sibling(out.name, "v"),
                            {config.kv_heads * config.head_dim, config.width}};
  const std::vector<float> v = initial_values(value, config, seed);
  const auto width = static_cast<std::size_t>(config.width);
  const auto dim = static_cast<std::size_t>(config.head_dim);
  const auto inner = static_cast<std::size_t>(config.heads) * dim;
  const auto group = static_cast<std::size_t>(config.heads / config.kv_heads);
  const auto scale = static_cast<float>(1.0 / std::sqrt(2.0 * static_cast<double>(config.layers)));
  std::vector<float> values(width * inner);
  for (std::size_t column = 0; column < inner; ++column) {
    const std::size_t row = column / dim / group * dim + column % dim;
    for (std::size_t e = 0; e < width; ++e) {
      values[e * inner + column] = scale * v[row * width + e];
    }
  }
  return values;
}

std::vector<float> eye_xavier_normal(const DecoderConfig& config, double gain, Random& random) {
  const auto heads = static_cast<std::size_t>(config.heads);
  const auto n = static_cast<std::size_t>(config.position.fope.input_count);
  const auto d = static_cast<std::size_t>(config.position.fope.output_count);
  const double fans = static_cast<double>((n + heads) * d);
  std::vector<float> values = normal_values(heads * n * d, gain * std::sqrt(2.0 / fans), random);
  const std::size_t step = (n + d - 1) / d;
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < d && i * step < n; ++i) values[(h * n + i * step) * d + i] += 1.0F;
  }
  return values;
}

}  // namespace

std::vector<float> initial_values(const DecoderTensor& tensor, const DecoderConfig& config,
                                  std::uint64_t seed) {
  if (tensor.shape.size() == 1) return std::vector<float>(element_count(tensor.shape), 1.0F);
  const double residual_gain = 1.0 / std::sqrt(2.0 * static_cast<double>(config.layers));
  if (tensor.name == "embed.weight" || tensor.name == "head.weight") {
    return normal_matrix(tensor, kEmbeddingStd, seed);
  }
  if (tensor.name.ends_with(".k.weight")) return key_like_query(tensor, config, seed);
  if (tensor.name.ends_with(".o.weight")) return out_like_value(tensor, config, seed);
  const double std = kProjectionGain / std::sqrt(static_cast<double>(tensor.shape[1]));
  const bool writes_residual = tensor.name.ends_with(".down.weight");
  return normal_matrix(tensor, writes_residual ? std * residual_gain : std, seed);
}

std::vector<position::LayerParameters> initial_fope_coefficients(const DecoderConfig& config,
                                                                 double gain, std::uint64_t seed) {
  std::vector<position::LayerParameters> layers;
  if (config.position.kind != position::Kind::kFope) return layers;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string name = fmt::format("initial/layers.{}.fope.", layer);
    Random cos(seed, name + "cos_coef");
    Random sin(seed, name + "sin_coef");
    layers.push_back(
        {.cos = eye_xavier_normal(config, gain, cos), .sin = eye_xavier_normal(config, gain, sin)});
  }
  return layers;
}

}  // namespace yardstick::models
