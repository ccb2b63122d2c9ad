// The forward pass with LibTorch's operations: any device, any dtype, gradients. Token-wise work
// (norms, projections, rotation, MLP) runs on blocks of rows, attention on the whole batch; with
// gradients on, a block is all rows and nothing is changed in place.
#include <cmath>
#include <utility>

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "models/decoder/layer_stack.hpp"
#include "models/decoder/scoring.hpp"
#include "models/decoder/torch_layers.hpp"

namespace yardstick::models {
namespace {

using Gradient = attention::Need::Gradient;

/// Queries [versions, n, H, D], keys [versions, n, G, D] and values [n, G, D] in the compute dtype.
struct Projected {
  at::Tensor queries;
  at::Tensor keys;
  at::Tensor values;
};

/// x [n, heads, D] f32 in each version, [versions, n, heads, D].
at::Tensor rotate_each(const at::Tensor& x, const std::vector<RotationTables>& versions) {
  if (versions.size() == 1) return rotate(x, versions.front()).unsqueeze(0);
  std::vector<at::Tensor> turned;
  for (const RotationTables& tables : versions) turned.push_back(rotate(x, tables));
  return at::stack(turned);
}

/// x [..., heads, D], each row by itself.
at::Tensor normed_rows(const QkNormLayer& norm, const at::Tensor& x) {
  return norm(x.flatten(0, -3)).reshape(x.sizes());
}

/// Calls `action(begin, count)` for each block of rows.
template <typename Action>
void for_blocks(std::int64_t rows, std::int64_t block, const Action& action) {
  const std::int64_t step = block > 0 ? block : rows;
  for (std::int64_t begin = 0; begin < rows; begin += step)
    action(begin, std::min(step, rows - begin));
}

class TorchStack final : public LayerStack {
 public:
  TorchStack(const StackParts& parts, const TorchStackOptions& options)
      : config_(parts.config),
        options_(options),
        encoding_(parts.encoding),
        scoring_(layer_scorings(parts.config, parts.encoding)) {
    const WeightReader reader(config_, parts.weights, options.gradient);
    embedding_ = reader.find("embed.weight");
    positions_ = reader.find("positions.weight");
    if (config_.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent)
      embedding_norm_ = reader.norm("embed_norm");
    for (std::int64_t i = 0; i < config_.layers; ++i) layers_.push_back(reader.layer(i));
    final_norm_ = reader.norm("norm");
    const at::Tensor head_weight =
        config_.head == Head::kTied ? embedding_ : reader.find("head.weight");
    head_ = Linear({{head_weight, reader.find("head.bias")}});
    backend_ = options.attention != nullptr
                   ? options.attention
                   : &attention::choose_backend({.device = embedding_.device(),
                                                 .dtype = embedding_.scalar_type(),
                                                 .head_dim = config_.head_dim,
                                                 .gradient = options.gradient});
  }

  at::Tensor hidden(const PackedBatch& batch, Rotator& rotator) override;
  at::Tensor logits(const at::Tensor& rows) const override;
  std::string_view attention_name() const override { return backend_->name(); }

 private:
  [[nodiscard]] bool trains() const { return options_.gradient == Gradient::kNeeded; }

  [[nodiscard]] at::Tensor embed(const PackedBatch& batch) const;
  [[nodiscard]] static at::Tensor positions_of(const PackedBatch& batch);
  [[nodiscard]] at::Tensor computed_rows(const PackedBatch& batch) const;
  [[nodiscard]] Projected project(const Layer& layer, const at::Tensor& x,
                                  const LayerRotation& rotation) const;
  [[nodiscard]] Projected project_all(const Layer& layer, const at::Tensor& x,
                                      const LayerRotation& rotation, std::int64_t block) const;
  [[nodiscard]] at::Tensor query_scales(std::int64_t layer, const PackedBatch& batch) const;
  [[nodiscard]] at::Tensor attend(std::int64_t index, const Projected& projected,
                                  const PackedBatch& batch) const;
  [[nodiscard]] at::Tensor add_branch(const at::Tensor& x, const std::optional<NormLayer>& norm,
                                      const at::Tensor& projected,
                                      const std::optional<NormLayer>& post_norm) const;
  [[nodiscard]] at::Tensor finish(const Layer& layer, const at::Tensor& x,
                                  const at::Tensor& attended) const;

  DecoderConfig config_;
  TorchStackOptions options_;
  const position::Encoding& encoding_;     // the decoder's
  std::vector<kernels::Scoring> scoring_;  // [L]
  at::Tensor embedding_;
  at::Tensor positions_;
  std::optional<NormLayer> embedding_norm_;
  std::vector<Layer> layers_;
  NormLayer final_norm_;
  Linear head_;
  const attention::Backend* backend_ = nullptr;
};

at::Tensor TorchStack::embed(const PackedBatch& batch) const {
  at::Tensor x = at::embedding(embedding_, batch.tokens).to(at::kFloat);
  if (config_.embedding_scale != 1.0) x = x.mul(config_.embedding_scale);
  if (embedding_norm_) x = (*embedding_norm_)(x);
  if (positions_.defined())
    x = x.add(at::embedding(positions_, positions_of(batch).to(x.device())).to(at::kFloat));
  if (encoding_.adds_to_embedding()) x = x.add(computed_rows(batch).to(x.device()));
  return x;
}

/// Position of each row [T] int64; 0 for filler.
at::Tensor TorchStack::positions_of(const PackedBatch& batch) {
  at::Tensor rows = at::zeros(batch.tokens.sizes(), at::TensorOptions().dtype(at::kLong));
  auto* row = rows.data_ptr<std::int64_t>();
  for (const PackedSequence& sequence : batch.sequences) {
    for (std::int64_t i = 0; i < sequence.row_count; ++i)
      row[sequence.row_begin + i] = sequence.first_position + i;
  }
  return rows;
}

/// What the encoding adds to each row's embedding [T, E] f32.
at::Tensor TorchStack::computed_rows(const PackedBatch& batch) const {
  const at::Tensor positions = positions_of(batch);
  at::Tensor rows =
      at::empty({positions.size(0), config_.width}, at::TensorOptions().dtype(at::kFloat));
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    encoding_.fill_embedding(
        positions.data_ptr<std::int64_t>()[i],
        {rows.data_ptr<float>() + i * config_.width, static_cast<std::size_t>(config_.width)});
  }
  return rows;
}

Projected TorchStack::project(const Layer& layer, const at::Tensor& x,
                              const LayerRotation& rotation) const {
  const std::int64_t query_width = config_.heads * config_.head_dim;
  const std::int64_t key_width = config_.kv_heads * config_.head_dim;
  at::Tensor all = layer.qkv(layer.attention_norm ? (*layer.attention_norm)(x) : x);
  if (config_.clip_qkv) all = all.clamp(-*config_.clip_qkv, *config_.clip_qkv);
  const auto heads = [&](std::int64_t first, std::int64_t count) {
    return all.narrow(1, first, count * config_.head_dim).unflatten(1, {count, config_.head_dim});
  };
  at::Tensor queries = heads(0, config_.heads);
  at::Tensor keys = heads(query_width, config_.kv_heads);
  const at::Tensor values = heads(query_width + key_width, config_.kv_heads);
  const auto norm_if = [&](QkNorm::Order order) {
    if (!layer.query_norm || config_.qk_norm.order != order) return;
    queries = normed_rows(*layer.query_norm, queries);
    keys = normed_rows(*layer.key_norm, keys);
  };
  norm_if(QkNorm::Order::kBeforeRotation);
  queries = rotate_each(queries, rotation.queries);
  keys = rotate_each(keys, rotation.keys);
  norm_if(QkNorm::Order::kAfterRotation);
  const at::ScalarType dtype = embedding_.scalar_type();
  return {queries.to(dtype), keys.to(dtype), values.to(dtype)};
}

Projected TorchStack::project_all(const Layer& layer, const at::Tensor& x,
                                  const LayerRotation& rotation, std::int64_t block) const {
  if (trains()) return project(layer, x, rotation);
  const at::TensorOptions like = embedding_.options();
  const std::int64_t rows = x.size(0);
  const auto query_versions = static_cast<std::int64_t>(rotation.queries.size());
  const auto key_versions = static_cast<std::int64_t>(rotation.keys.size());
  Projected all{at::empty({query_versions, rows, config_.heads, config_.head_dim}, like),
                at::empty({key_versions, rows, config_.kv_heads, config_.head_dim}, like),
                at::empty({rows, config_.kv_heads, config_.head_dim}, like)};
  for_blocks(rows, block, [&](std::int64_t begin, std::int64_t count) {
    const Projected part = project(layer, x.narrow(0, begin, count), rotation.rows(begin, count));
    all.queries.narrow(1, begin, count).copy_(part.queries);
    all.keys.narrow(1, begin, count).copy_(part.keys);
    all.values.narrow(0, begin, count).copy_(part.values);
  });
  return all;
}

/// [T] f32 on the device, or undefined.
at::Tensor TorchStack::query_scales(std::int64_t layer, const PackedBatch& batch) const {
  at::Tensor scales;
  for (const PackedSequence& packed : batch.sequences) {
    const std::vector<float> own =
        encoding_.query_scales(layer, packed.first_position, packed.row_count);
    if (own.empty()) return {};
    if (!scales.defined())
      scales = at::ones(batch.tokens.sizes(), at::TensorOptions().dtype(at::kFloat));
    std::copy(own.begin(), own.end(), scales.data_ptr<float>() + packed.row_begin);
  }
  return scales.defined() ? scales.to(embedding_.device()) : scales;
}

at::Tensor TorchStack::attend(std::int64_t index, const Projected& projected,
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
      packed.cache->write(index, projected.keys.narrow(1, packed.row_begin, packed.row_count),
                          projected.values.narrow(0, packed.row_begin, packed.row_count));
    }
    sequences.push_back(std::move(sequence));
  }
  return backend_->attend({.queries = projected.queries,
                           .keys = projected.keys,
                           .values = projected.values,
                           .query_scales = query_scales(index, batch),
                           .sequences = &sequences,
                           .scoring = &scoring_[static_cast<std::size_t>(index)],
                           .tile_tokens = options_.attention_tile_tokens});
}

/// The residual stream x, which a branch read through `norm`, plus what the branch adds.
at::Tensor TorchStack::add_branch(const at::Tensor& x, const std::optional<NormLayer>& norm,
                                  const at::Tensor& projected,
                                  const std::optional<NormLayer>& post_norm) const {
  at::Tensor branch = post_norm ? (*post_norm)(projected) : projected;
  if (config_.residual_scale != 1.0) branch = branch.mul(config_.residual_scale);
  return (config_.residual == Residual::kNormedInput ? (*norm)(x) : x).add(branch);
}

at::Tensor TorchStack::finish(const Layer& layer, const at::Tensor& x,
                              const at::Tensor& attended) const {
  const at::Tensor middle =
      add_branch(x, layer.attention_norm, layer.out(attended.flatten(1).to(at::kFloat)),
                 layer.attention_post_norm);
  const at::Tensor& from = config_.block == BlockForm::kSequential ? middle : x;
  const at::Tensor hidden = layer.mlp_in(layer.mlp_norm ? (*layer.mlp_norm)(from) : from);
  return add_branch(middle, layer.mlp_norm, layer.mlp_out(activate(config_, hidden)),
                    layer.mlp_post_norm);
}

at::Tensor TorchStack::hidden(const PackedBatch& batch, Rotator& rotator) {
  const std::int64_t rows = batch.tokens.size(0);
  at::Tensor x = embed(batch);
  for (std::int64_t index = 0; index < config_.layers; ++index) {
    if (batch.on_state) batch.on_state(index, x);
    const Layer& layer = layers_[static_cast<std::size_t>(index)];
    const LayerRotation rotation = rotator.layer(index);
    const Projected projected = project_all(layer, x, rotation, batch.row_block);
    const at::Tensor attended = attend(index, projected, batch);
    if (trains()) {
      x = finish(layer, x, attended);
      continue;
    }
    for_blocks(rows, batch.row_block, [&](std::int64_t begin, std::int64_t count) {
      const at::Tensor part = x.narrow(0, begin, count);
      part.copy_(finish(layer, part, attended.narrow(0, begin, count)));
    });
  }
  for (const PackedSequence& sequence : batch.sequences) {
    if (sequence.cache != nullptr) sequence.cache->advance(sequence.row_count);
  }
  x = final_norm_(x);
  if (batch.on_state) batch.on_state(config_.layers, x);
  return x;
}

at::Tensor TorchStack::logits(const at::Tensor& rows) const {
  at::Tensor logits = head_(rows);
  if (config_.logit_scale != 1.0) logits = logits.mul(config_.logit_scale);
  if (!config_.logit_soft_cap) return logits;
  return logits.div(*config_.logit_soft_cap).tanh().mul(*config_.logit_soft_cap);
}

}  // namespace

std::unique_ptr<LayerStack> make_torch_stack(const StackParts& parts,
                                             const TorchStackOptions& options) {
  return std::make_unique<TorchStack>(parts, options);
}

}  // namespace yardstick::models
