// The forward pass. Token-wise work (norms, projections, rotation, MLP) runs on blocks of rows,
// attention on the whole batch; with gradients on, a block is all rows and nothing is changed in
// place.
#include "models/decoder/decoder.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "models/decoder/layers.hpp"
#include "models/decoder/linear.hpp"
#include "models/decoder/rotation.hpp"
#include "models/decoder/weights.hpp"

namespace yardstick::models {
namespace {

using Gradient = attention::Need::Gradient;

struct Layer {
  NormLayer attention_norm;
  Linear qkv;
  std::optional<NormLayer> query_norm;
  std::optional<NormLayer> key_norm;
  Linear out;
  NormLayer mlp_norm;
  Linear mlp_in;  // gate and up fused, or up alone
  Linear mlp_out;
};

/// Looks weights up by name while the layers are built.
class WeightReader {
 public:
  WeightReader(const DecoderConfig& config, const Weights& weights, Gradient gradient)
      : config_(config), weights_(weights), gradient_(gradient) {}

  [[nodiscard]] at::Tensor find(const std::string& name) const {
    const auto found = weights_.find(name);
    return found == weights_.end() ? at::Tensor() : found->second;
  }

  [[nodiscard]] NormLayer norm(const std::string& name) const {
    return {config_.norm.kind, config_.norm.epsilon, as_float(find(name + ".weight")),
            as_float(find(name + ".bias")), gradient_};
  }

  [[nodiscard]] Linear linear(const std::vector<std::string>& names) const {
    std::vector<Linear::Part> parts;
    for (const std::string& name : names)
      parts.push_back({find(name + ".weight"), find(name + ".bias")});
    return {std::move(parts), gradient_};
  }

  [[nodiscard]] Layer layer(std::int64_t index) const {
    const std::string prefix = fmt::format("layers.{}.", index);
    Layer layer{.attention_norm = norm(prefix + "attn_norm"),
                .qkv = linear({prefix + "q", prefix + "k", prefix + "v"}),
                .query_norm = std::nullopt,
                .key_norm = std::nullopt,
                .out = linear({prefix + "o"}),
                .mlp_norm = norm(prefix + "mlp_norm"),
                .mlp_in = config_.mlp == Mlp::kSwiGlu ? linear({prefix + "gate", prefix + "up"})
                                                      : linear({prefix + "up"}),
                .mlp_out = linear({prefix + "down"})};
    if (config_.qk_norm == QkNorm::kWholeProjection) {
      layer.query_norm = norm(prefix + "q_norm");
      layer.key_norm = norm(prefix + "k_norm");
    }
    return layer;
  }

 private:
  static at::Tensor as_float(const at::Tensor& x) {
    return x.defined() ? x.to(at::kFloat) : at::Tensor();
  }

  const DecoderConfig& config_;
  const Weights& weights_;
  Gradient gradient_;
};

/// Queries [n, H, D], keys and values [n, G, D] in the compute dtype.
struct Projected {
  at::Tensor queries;
  at::Tensor keys;
  at::Tensor values;
};

/// Calls `action(begin, count)` for each block of rows.
template <typename Action>
void for_blocks(std::int64_t rows, std::int64_t block, const Action& action) {
  const std::int64_t step = block > 0 ? block : rows;
  for (std::int64_t begin = 0; begin < rows; begin += step)
    action(begin, std::min(step, rows - begin));
}

}  // namespace

struct Decoder::State {
  DecoderConfig config;
  std::shared_ptr<const position::Encoding> encoding;
  DecoderOptions options;
  at::Tensor embedding;
  at::Tensor positions;
  std::optional<NormLayer> embedding_norm;
  std::vector<Layer> layers;
  NormLayer final_norm;
  Linear head;
  at::Tensor slopes;
  Rotator rotator;
  const attention::Backend* backend = nullptr;

  State(DecoderConfig decoder_config, const Weights& weights,
        std::shared_ptr<const position::Encoding> position_encoding,
        const DecoderOptions& decoder_options)
      : config(std::move(decoder_config)),
        encoding(std::move(position_encoding)),
        options(decoder_options),
        rotator(encoding, weights.at("embed.weight").device()) {
    const WeightReader reader(config, weights, options.gradient);
    embedding = reader.find("embed.weight");
    positions = reader.find("positions.weight");
    if (config.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent)
      embedding_norm = reader.norm("embed_norm");
    for (std::int64_t i = 0; i < config.layers; ++i) layers.push_back(reader.layer(i));
    final_norm = reader.norm("norm");
    const at::Tensor head_weight =
        config.head == Head::kTied ? embedding : reader.find("head.weight");
    head = Linear({{head_weight, reader.find("head.bias")}}, options.gradient);
    const std::vector<double> bias = encoding->bias_slopes();
    if (!bias.empty()) slopes = at::tensor(bias).to(at::kFloat).to(embedding.device());
  }

  [[nodiscard]] bool trains() const { return options.gradient == Gradient::kNeeded; }

  at::Tensor embed(const PackedBatch& batch) const;
  Projected project(const Layer& layer, const at::Tensor& x, const Rotator::Tables& tables) const;
  Projected project_all(const Layer& layer, const at::Tensor& x, const Rotator::Tables& tables,
                        std::int64_t block) const;
  at::Tensor attend(std::int64_t index, const Projected& projected, const PackedBatch& batch) const;
  at::Tensor finish(const Layer& layer, const at::Tensor& x, const at::Tensor& attended) const;
};

at::Tensor Decoder::State::embed(const PackedBatch& batch) const {
  at::Tensor x = at::embedding(embedding, batch.tokens).to(at::kFloat);
  if (embedding_norm) x = (*embedding_norm)(x);
  if (!positions.defined()) return x;
  const at::Tensor rows = at::zeros(batch.tokens.sizes(), at::TensorOptions().dtype(at::kLong));
  auto* row = rows.data_ptr<std::int64_t>();
  for (const PackedSequence& sequence : batch.sequences) {
    for (std::int64_t i = 0; i < sequence.row_count; ++i)
      row[sequence.row_begin + i] = sequence.first_position + i;
  }
  return x.add(at::embedding(positions, rows.to(x.device())).to(at::kFloat));
}

Projected Decoder::State::project(const Layer& layer, const at::Tensor& x,
                                  const Rotator::Tables& tables) const {
  const std::int64_t query_width = config.heads * config.head_dim;
  const std::int64_t key_width = config.kv_heads * config.head_dim;
  at::Tensor all = layer.qkv(layer.attention_norm(x));
  if (config.clip_qkv) all = all.clamp(-*config.clip_qkv, *config.clip_qkv);
  at::Tensor queries = all.narrow(1, 0, query_width);
  at::Tensor keys = all.narrow(1, query_width, key_width);
  const at::Tensor values = all.narrow(1, query_width + key_width, key_width);
  if (layer.query_norm) {
    queries = (*layer.query_norm)(queries);
    keys = (*layer.key_norm)(keys);
  }
  const auto heads = [&](const at::Tensor& part, std::int64_t count) {
    return part.unflatten(1, {count, config.head_dim});
  };
  const auto rotate = [&](const at::Tensor& part) {
    if (trains() || !part.is_cpu()) return rotator.rotate(part, tables);
    rotator.rotate_in_place(part, tables);
    return part;
  };
  const at::ScalarType dtype = embedding.scalar_type();
  return {rotate(heads(queries, config.heads)).to(dtype),
          rotate(heads(keys, config.kv_heads)).to(dtype), heads(values, config.kv_heads).to(dtype)};
}

Projected Decoder::State::project_all(const Layer& layer, const at::Tensor& x,
                                      const Rotator::Tables& tables, std::int64_t block) const {
  if (trains()) return project(layer, x, tables);
  const at::TensorOptions like = embedding.options();
  const std::int64_t rows = x.size(0);
  Projected all{at::empty({rows, config.heads, config.head_dim}, like),
                at::empty({rows, config.kv_heads, config.head_dim}, like),
                at::empty({rows, config.kv_heads, config.head_dim}, like)};
  for_blocks(rows, block, [&](std::int64_t begin, std::int64_t count) {
    const Projected part = project(layer, x.narrow(0, begin, count), tables.rows(begin, count));
    all.queries.narrow(0, begin, count).copy_(part.queries);
    all.keys.narrow(0, begin, count).copy_(part.keys);
    all.values.narrow(0, begin, count).copy_(part.values);
  });
  return all;
}

at::Tensor Decoder::State::attend(std::int64_t index, const Projected& projected,
                                  const PackedBatch& batch) const {
  std::vector<attention::Sequence> sequences;
  for (const PackedSequence& packed : batch.sequences) {
    attention::Sequence sequence{packed.row_begin, packed.row_count, {}};
    const auto see = [&](const KvCache& cache) {
      if (cache.length() > 0) sequence.prefix.push_back({cache.keys(index), cache.values(index)});
    };
    for (const KvCache* cache : packed.prefix) see(*cache);
    if (packed.cache != nullptr) {
      see(*packed.cache);
      packed.cache->write(index, projected.keys.narrow(0, packed.row_begin, packed.row_count),
                          projected.values.narrow(0, packed.row_begin, packed.row_count));
    }
    sequences.push_back(std::move(sequence));
  }
  return backend->attend({.queries = projected.queries,
                          .keys = projected.keys,
                          .values = projected.values,
                          .sequences = &sequences,
                          .slopes = slopes,
                          .tile_tokens = options.attention_tile_tokens});
}

at::Tensor Decoder::State::finish(const Layer& layer, const at::Tensor& x,
                                  const at::Tensor& attended) const {
  const at::Tensor flat = attended.flatten(1).to(at::kFloat);
  const at::Tensor middle = x.add(layer.out(flat));
  const at::Tensor hidden = layer.mlp_in(layer.mlp_norm(middle));
  return middle.add(layer.mlp_out(activate(config.mlp, hidden, options.gradient)));
}

namespace {

/// Checks what the weights cannot say: that the encoding fits the decoder.
void check_encoding(const DecoderConfig& config, const position::Encoding& encoding) {
  const std::optional<position::RotationShape> rotation = encoding.rotation();
  const std::size_t slopes = encoding.bias_slopes().size();
  check(slopes == 0 || slopes == static_cast<std::size_t>(config.heads),
        "an encoding has one slope a query head");
  if (!rotation) return;
  check(2 * rotation->pairs <= config.head_dim, "an encoding rotates no more than a head");
  if (rotation->table_heads != 1 && config.heads != config.kv_heads) {
    throw Error(ErrorKind::kModel,
                fmt::format("the encoding has one table a query head ({}), but {} key heads share "
                            "them; expected as many key heads as query heads",
                            config.heads, config.kv_heads));
  }
}

}  // namespace

Decoder::Decoder(DecoderConfig config, Weights weights,
                 std::shared_ptr<const position::Encoding> encoding,
                 const DecoderOptions& options) {
  check_weights(config, weights);
  check_encoding(config, *encoding);
  state_ = std::make_unique<State>(std::move(config), weights, std::move(encoding), options);
  state_->backend = options.attention != nullptr
                        ? options.attention
                        : &attention::choose_backend({.device = state_->embedding.device(),
                                                      .dtype = state_->embedding.scalar_type(),
                                                      .head_dim = state_->config.head_dim,
                                                      .gradient = options.gradient});
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

at::Tensor Decoder::hidden(const PackedBatch& batch) {
  State& state = *state_;
  std::vector<Rotator::PlacedRun> runs;
  for (const PackedSequence& sequence : batch.sequences) {
    std::int64_t before = sequence.cache == nullptr ? 0 : sequence.cache->length();
    for (const KvCache* cache : sequence.prefix) before += cache->length();
    check(before == sequence.first_position || before == 0,
          "a packed run continues behind its cached tokens");
    runs.push_back({{sequence.first_position, sequence.first_position + sequence.row_count,
                     sequence.total_length},
                    sequence.row_begin});
  }
  const std::int64_t rows = batch.tokens.size(0);
  state.rotator.prepare(runs, rows);
  at::Tensor x = state.embed(batch);
  for (std::int64_t index = 0; index < state.config.layers; ++index) {
    const Layer& layer = state.layers[static_cast<std::size_t>(index)];
    const Rotator::Tables tables = state.rotator.tables(index);
    const Projected projected = state.project_all(layer, x, tables, batch.row_block);
    const at::Tensor attended = state.attend(index, projected, batch);
    if (state.trains()) {
      x = state.finish(layer, x, attended);
      continue;
    }
    for_blocks(rows, batch.row_block, [&](std::int64_t begin, std::int64_t count) {
      const at::Tensor part = x.narrow(0, begin, count);
      part.copy_(state.finish(layer, part, attended.narrow(0, begin, count)));
    });
  }
  for (const PackedSequence& sequence : batch.sequences) {
    if (sequence.cache != nullptr) sequence.cache->advance(sequence.row_count);
  }
  return state.final_norm(x);
}

at::Tensor Decoder::logits(const at::Tensor& hidden_rows) const {
  const at::Tensor logits = state_->head(hidden_rows);
  if (state_->config.logit_scale == LogitScale::kNone) return logits;
  return logits.div(std::sqrt(static_cast<double>(state_->config.width)));
}

KvCache Decoder::make_cache(std::int64_t capacity) const {
  return {{.layers = state_->config.layers,
           .kv_heads = state_->config.kv_heads,
           .head_dim = state_->config.head_dim,
           .capacity = capacity},
          state_->embedding.options()};
}

std::int64_t Decoder::cache_bytes_per_token() const {
  const DecoderConfig& config = state_->config;
  const auto element = static_cast<std::int64_t>(state_->embedding.element_size());
  return 2 * config.layers * config.kv_heads * config.head_dim * element;
}

const DecoderConfig& Decoder::config() const { return state_->config; }
const attention::Backend& Decoder::attention_backend() const { return *state_->backend; }

}  // namespace yardstick::models
