#include "models/decoder/scoring.hpp"

#include <cmath>

namespace yardstick::models {
namespace {

double divisor(const DecoderConfig& config, std::int64_t layer) {
  const double own = config.attention_scale ? 1.0 / *config.attention_scale
                                            : std::sqrt(static_cast<double>(config.head_dim));
  return config.attention_divisor == LayerDivisor::kLayerNumber
             ? own * static_cast<double>(layer + 1)
             : own;
}

kernels::Scoring layer_scoring(const DecoderConfig& config, const position::Encoding& encoding,
                               std::int64_t layer) {
  kernels::Scoring scoring{.divisor = divisor(config, layer),
                           .soft_cap = config.attention_soft_cap,
                           .reach = encoding.reach(layer)};
  for (const double slope : encoding.bias_slopes(layer))
    scoring.slopes.push_back(static_cast<float>(slope));
  if (encoding.has_bias(layer)) {
    scoring.bias = [&encoding, layer](position::BiasQuery query, std::span<float> bias) {
      query.layer = layer;
      encoding.fill_bias(query, bias);
    };
  }
  return scoring;
}

}  // namespace

std::vector<kernels::Scoring> layer_scorings(const DecoderConfig& config,
                                             const position::Encoding& encoding) {
  std::vector<kernels::Scoring> scorings;
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    scorings.push_back(layer_scoring(config, encoding, layer));
  return scorings;
}

}  // namespace yardstick::models
