#include "tests/models/engine/plain_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace yardstick::test {
namespace {

using models::DecoderConfig;
using models::Norm;
using models::NormPlacement;
using models::QkNorm;

class PlainDecoder {
 public:
  PlainDecoder(const DecoderConfig& config, const models::Weights& weights)
      : config_(config), weights_(weights) {}

  [[nodiscard]] bool has(const std::string& name) const { return weights_.contains(name); }

  [[nodiscard]] Numbers tensor(const std::string& name) const {
    const at::Tensor values = weights_.at(name).to(at::kDouble).contiguous();
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
  }

  /// Weight and bias of `name` applied to x.
  [[nodiscard]] Numbers project(const std::string& name, const Numbers& x) const {
    const Numbers weight = tensor(name + ".weight");
    Numbers out(weight.size() / x.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
      for (std::size_t k = 0; k < x.size(); ++k) out[n] += weight[n * x.size() + k] * x[k];
    }
    if (has(name + ".bias")) out = sum(out, tensor(name + ".bias"));
    return out;
  }

  /// The norm of each `width` numbers of x; weights cover x, or every part alike.
  [[nodiscard]] Numbers normed(const Norm& norm, const std::string& name, Numbers x,
                               std::size_t width) const {
    for (std::size_t first = 0; first < x.size(); first += width) {
      double mean = 0;
      if (norm.kind == models::NormKind::kLayer) {
        for (std::size_t i = 0; i < width; ++i) mean += x[first + i] / double(width);
      }
      double squares = 0;
      for (std::size_t i = 0; i < width; ++i) squares += std::pow(x[first + i] - mean, 2);
      const double size = std::sqrt(squares / double(width) + norm.epsilon);
      for (std::size_t i = 0; i < width; ++i) x[first + i] = (x[first + i] - mean) / size;
    }
    if (has(name + ".weight")) {
      const Numbers weight = tensor(name + ".weight");
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= weight[i % weight.size()] + norm.weight_offset;
    }
    if (has(name + ".bias")) {
      const Numbers bias = tensor(name + ".bias");
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += bias[i % bias.size()];
    }
    return x;
  }

  [[nodiscard]] Numbers stream_norm(const std::string& name, const Numbers& x) const {
    return normed(config_.norm, name, x, x.size());
  }

  static Numbers sum(Numbers a, const Numbers& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  /// Queries or keys of one token, normed and rotated.
  [[nodiscard]] Numbers heads(const std::string& layer, const char* side, const Numbers& x,
                              std::int64_t position) const {
    Numbers out = clipped(project(layer + side, x));
    const std::string norm = layer + side + "_norm";
    if (config_.qk_norm.order == QkNorm::Order::kBeforeRotation) out = head_norm(norm, out);
    if (config_.position.kind == position::Kind::kRope) rotate(out, position);
    if (config_.qk_norm.order == QkNorm::Order::kAfterRotation) out = head_norm(norm, out);
    return out;
  }

  [[nodiscard]] Numbers clipped(Numbers x) const {
    for (double& number : x) {
      if (config_.clip_qkv) number = std::clamp(number, -*config_.clip_qkv, *config_.clip_qkv);
    }
    return x;
  }

  [[nodiscard]] Numbers mlp(const std::string& layer, const Numbers& x) const {
    Numbers middle = project(layer + "up", x);
    if (config_.mlp == models::MlpForm::kGated) {
      const Numbers gate = project(layer + "gate", x);
      for (std::size_t i = 0; i < middle.size(); ++i) middle[i] *= activated(gate[i]);
    } else {
      for (double& number : middle) number = activated(number);
    }
    return project(layer + "down", middle);
  }

  /// softmax(q K^T / sqrt(D)) V of the last of the tokens.
  [[nodiscard]] Numbers attended(const Numbers& query, const std::vector<Numbers>& keys,
                                 const std::vector<Numbers>& values) const {
    const auto dim = static_cast<std::size_t>(config_.head_dim);
    const auto group = static_cast<std::size_t>(config_.heads / config_.kv_heads);
    Numbers out(query.size());
    for (std::size_t h = 0; h < static_cast<std::size_t>(config_.heads); ++h) {
      Numbers weights;
      double total = 0;
      for (const Numbers& key : keys) {
        double score = 0;
        for (std::size_t d = 0; d < dim; ++d)
          score += query[h * dim + d] * key[h / group * dim + d];
        total += weights.emplace_back(std::exp(score / std::sqrt(double(dim))));
      }
      for (std::size_t j = 0; j < keys.size(); ++j) {
        for (std::size_t d = 0; d < dim; ++d)
          out[h * dim + d] += weights[j] / total * values[j][h / group * dim + d];
      }
    }
    return out;
  }

  /// All tokens' residual streams through one layer.
  void run_layer(const std::string& layer, std::vector<Numbers>& stream) const {
    std::vector<Numbers> keys;
    std::vector<Numbers> values;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const Numbers x = stream[i];
      const Numbers read = before(layer + "attn_norm", x);
      const auto position = static_cast<std::int64_t>(i);
      keys.push_back(heads(layer, "k", read, position));
      values.push_back(clipped(project(layer + "v", read)));
      const Numbers attention =
          project(layer + "o", attended(heads(layer, "q", read, position), keys, values));
      const Numbers middle = added(x, read, behind(layer + "attn_post_norm", attention));
      switch (config_.block) {
        case models::BlockForm::kSequential: {
          const Numbers again = before(layer + "mlp_norm", middle);
          stream[i] = added(middle, again, behind(layer + "mlp_post_norm", mlp(layer, again)));
          break;
        }
        case models::BlockForm::kParallel: {
          const Numbers own = before(layer + "mlp_norm", x);
          stream[i] = added(middle, own, behind(layer + "mlp_post_norm", mlp(layer, own)));
          break;
        }
        case models::BlockForm::kParallelSharedNorm:
          stream[i] = added(middle, read, behind(layer + "mlp_post_norm", mlp(layer, read)));
          break;
      }
    }
  }

  [[nodiscard]] Numbers embedded(TokenId token, std::int64_t position) const {
    const auto width = static_cast<std::size_t>(config_.width);
    const Numbers table = tensor("embed.weight");
    Numbers x(width);
    for (std::size_t e = 0; e < width; ++e)
      x[e] = config_.embedding_scale * table[static_cast<std::size_t>(token) * width + e];
    if (config_.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent)
      x = stream_norm("embed_norm", x);
    if (config_.position.kind == position::Kind::kLearned) {
      const Numbers rows = tensor("positions.weight");
      for (std::size_t e = 0; e < width; ++e)
        x[e] += rows[static_cast<std::size_t>(position) * width + e];
    }
    return x;
  }

  [[nodiscard]] Numbers logits(const Numbers& x) const {
    const bool is_tied = config_.head == models::Head::kTied;
    Numbers out = project(is_tied ? "embed" : "head", stream_norm("norm", x));
    if (is_tied && has("head.bias")) out = sum(out, tensor("head.bias"));
    for (double& logit : out) {
      logit *= config_.logit_scale;
      if (config_.logit_soft_cap)
        logit = *config_.logit_soft_cap * std::tanh(logit / *config_.logit_soft_cap);
    }
    return out;
  }

 private:
  [[nodiscard]] Numbers head_norm(const std::string& name, const Numbers& x) const {
    if (config_.qk_norm.over == QkNorm::Over::kNone) return x;
    const bool is_whole = config_.qk_norm.over == QkNorm::Over::kWholeProjection;
    const auto dim = static_cast<std::size_t>(config_.head_dim);
    return normed(config_.qk_norm.norm, name, x, is_whole ? x.size() : dim);
  }

  void rotate(Numbers& x, std::int64_t position) const {
    const auto dim = static_cast<std::size_t>(config_.head_dim);
    const auto half = dim / 2;
    for (std::size_t first = 0; first < x.size(); first += dim) {
      for (std::size_t j = 0; j < half; ++j) {
        const double angle =
            double(position) * std::pow(config_.position.theta, -double(j) / double(half));
        const double a = x[first + j];
        const double b = x[first + j + half];
        x[first + j] = a * std::cos(angle) - b * std::sin(angle);
        x[first + j + half] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
  }

  [[nodiscard]] double activated(double x) const {
    const double cube = 0.044715 * x * x * x;
    switch (config_.activation) {
      case models::Activation::kSilu: return x / (1 + std::exp(-x));
      case models::Activation::kGelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
      case models::Activation::kGeluTanh:
        return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + cube)));
      case models::Activation::kRelu: return std::max(x, 0.0);
      case models::Activation::kReluSquared: return std::pow(std::max(x, 0.0), 2);
    }
    return std::nan("");
  }

  [[nodiscard]] Numbers before(const std::string& name, const Numbers& x) const {
    return config_.norm_placement == NormPlacement::kAfter ? x : stream_norm(name, x);
  }

  [[nodiscard]] Numbers behind(const std::string& name, const Numbers& x) const {
    return config_.norm_placement == NormPlacement::kBefore ? x : stream_norm(name, x);
  }

  [[nodiscard]] Numbers added(const Numbers& x, const Numbers& read, Numbers branch) const {
    for (double& number : branch) number *= config_.residual_scale;
    return sum(config_.residual == models::Residual::kInput ? x : read, branch);
  }

  const DecoderConfig& config_;
  const models::Weights& weights_;
};

}  // namespace

std::vector<Numbers> plain_logits(
    const DecoderConfig& config, const models::Weights& weights, const std::vector<TokenId>& tokens,
    const std::function<double(std::int64_t position, std::int64_t element)>& added) {
  const PlainDecoder decoder(config, weights);
  std::vector<Numbers> stream;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    Numbers& x = stream.emplace_back(decoder.embedded(tokens[i], position));
    if (!added) continue;
    for (std::size_t e = 0; e < x.size(); ++e)
      x[e] += added(position, static_cast<std::int64_t>(e));
  }
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    decoder.run_layer("layers." + std::to_string(layer) + ".", stream);
  std::vector<Numbers> logits;
  for (const Numbers& x : stream) logits.push_back(decoder.logits(x));
  return logits;
}

}  // namespace yardstick::test
