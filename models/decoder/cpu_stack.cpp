// The forward pass in f32 on the CPU's own kernels, with weights in f32 or bfloat16. Token-wise
// work is divided by blocks of rows among threads, each with its own buffers, which stay; a layer
// meets all threads twice, around attention. No memory is taken inside a parallel region.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <ATen/ops/empty.h>

#include "core/error.hpp"
#include "models/decoder/cpu_buffers.hpp"
#include "models/decoder/cpu_embedding.hpp"
#include "models/decoder/cpu_layers.hpp"
#include "models/decoder/cpu_mlp.hpp"
#include "models/decoder/layer_stack.hpp"
#include "models/decoder/scoring.hpp"
#include "models/kernels/attention.hpp"
#include "models/kernels/parallel.hpp"
#include "models/kernels/rotation.hpp"
#include "models/kernels/rows.hpp"
#include "models/position/version_ranges.hpp"

namespace yardstick::models {
namespace {

using cpu::Buffers;
using cpu::Layer;
using cpu::NormLayer;
using cpu::Projection;
using kernels::ConstRows;
using kernels::Rows;

constexpr std::int64_t kLeastBlockRows = 24;  // below, threads share a product instead
constexpr std::size_t kLossRows = 384;

/// The most rotations of a query or key, as `versions` counts them, that any layer keeps.
template <typename Versions>
int most_versions(const std::vector<kernels::Scoring>& layers, const Versions& versions) {
  int most = 1;
  for (const kernels::Scoring& layer : layers) most = std::max(most, versions(layer.reach.kind));
  return most;
}

/// One sequence of a batch on its way through the layers.
struct Run {
  const PackedSequence* packed = nullptr;
  std::int64_t before = 0;                      // tokens seen before its rows
  std::optional<kernels::KeyValuePages> pages;  // without a cache: of its own rows, each layer anew

  [[nodiscard]] kernels::KeyValuePages& own_pages(std::int64_t layer) {
    return pages ? *pages : packed->cache->pages(layer);
  }
};

class CpuStack final : public LayerStack {
 public:
  CpuStack(const StackParts& parts, const std::function<void(const std::string&)>& on_packed)
      : config_(parts.config),
        encoding_(parts.encoding),
        scoring_(layer_scorings(parts.config, parts.encoding)),
        query_versions_(most_versions(scoring_, position::query_versions)),
        key_versions_(most_versions(scoring_, position::key_versions)),
        mlp_middle_(config_) {
    const cpu::Builder builder(parts, on_packed);
    const bool is_tied = config_.head == Head::kTied;
    for (std::int64_t i = 0; i < config_.layers; ++i) layers_.push_back(builder.layer(i));
    final_norm_ = builder.norm("norm");
    vocabulary_.emplace(builder.projection({is_tied ? "embed" : "head"}));
    if (is_tied) vocabulary_->bias = cpu::numbers(builder.find("head.bias"));
    embedding_.emplace(builder, parts, is_tied ? &vocabulary_->matrix : nullptr);
    head_ = {.matrix = &vocabulary_->matrix,
             .bias = vocabulary_->bias.empty() ? nullptr : vocabulary_->bias.data(),
             .multiplier = static_cast<float>(config_.logit_scale)};
    if (config_.logit_soft_cap) head_.soft_cap = static_cast<float>(*config_.logit_soft_cap);
  }

  at::Tensor hidden(const PackedBatch& batch, Rotator& rotator) override;
  at::Tensor logits(const at::Tensor& rows) const override;

  std::optional<std::vector<kernels::RowLoss>> losses(const at::Tensor& hidden,
                                                      std::span<const TargetRow> rows,
                                                      std::int64_t candidates) override;
  KvCacheShape::Layout cache_layout() const override { return KvCacheShape::Layout::kPages; }
  std::optional<std::int64_t> pass_bytes(std::int64_t rows) const override {
    const std::int64_t queries =
        query_versions_ * kernels::padded_width(config_.heads * config_.head_dim);
    const std::int64_t floats =
        rows * (config_.width + queries) + kernels::KeyValuePages::floats(head_shape(), 0, rows);
    return floats * std::int64_t{sizeof(float)};
  }
  std::string_view attention_name() const override { return "cpu"; }
  std::optional<Profile> profile() const override { return profile_; }

 private:
  struct Block {
    std::int64_t begin = 0;
    std::int64_t count = 0;
  };

  /// With as many versions as any layer keeps.
  [[nodiscard]] kernels::HeadShape head_shape() const {
    return {.heads = config_.heads,
            .kv_heads = config_.kv_heads,
            .head_dim = config_.head_dim,
            .key_versions = key_versions_};
  }

  /// Rows a block, and how many threads work on one.
  struct Division {
    std::int64_t rows = 0;
    double threads_a_block = 1;
  };
  [[nodiscard]] Division divide(std::int64_t rows) const;

  template <typename Action>
  void for_blocks(const Action& action);
  [[nodiscard]] std::vector<Run> make_runs(const PackedBatch& batch) const;
  void begin_pages(std::int64_t layer);
  void project(std::int64_t layer, const Block& block, const LayerRotation& rotation,
               Buffers& buffers);
  void rotate(const Rows& rows, std::int64_t heads, const Block& block,
              const RotationTables& tables, const Rows& out) const;
  void keep_queries(const Layer& layer, const Block& block, const Rows& queries,
                    const LayerRotation& rotation) const;
  void keep_keys(std::int64_t layer, const Block& block, const Rows& keys,
                 const LayerRotation& rotation, Buffers& buffers);
  template <typename Action>
  void for_runs(std::int64_t layer, const Block& block, const Action& action);
  [[nodiscard]] bool norms_behind_rotation(const Layer& layer) const;
  void attend(std::int64_t layer);
  void enter(const std::optional<NormLayer>& norm, const Rows& x, const Rows& out) const;
  void add_branch(const Projection& projection, const ConstRows& from,
                  const std::optional<NormLayer>& post_norm, const Rows& x, Buffers& buffers) const;
  void finish(const Layer& layer, const Block& block, Buffers& buffers);
  void count_flops(const PackedBatch& batch);
  [[nodiscard]] double seen_keys(const PackedBatch& batch) const;

  DecoderConfig config_;
  const position::Encoding& encoding_;
  std::vector<kernels::Scoring> scoring_;  // [L]
  int query_versions_;                     // most of any layer
  int key_versions_;
  cpu::MlpMiddle mlp_middle_;
  std::optional<cpu::Embedding> embedding_;
  std::vector<Layer> layers_;
  NormLayer final_norm_;
  std::optional<Projection> vocabulary_;
  kernels::VocabularyHead head_;

  // Of the pass at work.
  Division division_;
  std::vector<Buffers> buffers_;  // one a thread
  std::vector<Run> runs_;
  Rows x_;  // residual stream [T, E]
  std::vector<float> query_memory_;
  std::vector<Rows> queries_;  // [T, H, D], by version
  Rows attended_;              // what attention made of them, in place of the first version
  Profile profile_;
};

CpuStack::Division CpuStack::divide(std::int64_t rows) const {
  const std::int64_t threads = kernels::thread_count();
  if (rows < threads * kLeastBlockRows)
    return {std::max<std::int64_t>(rows, 1), static_cast<double>(threads)};
  const std::int64_t most = threads * Buffers::most_rows(config_);
  const std::int64_t blocks = threads * ((rows + most - 1) / most);
  return {(rows + blocks * 12 - 1) / (blocks * 12) * 12, 1.0};
}

/// Calls action(block, buffers) for all rows, from several threads where there is work for them.
/// What threads wait for one another is booked as other work.
template <typename Action>
void CpuStack::for_blocks(const Action& action) {
  const std::int64_t step = division_.rows;
  const std::int64_t blocks = (x_.count + step - 1) / step;
  Profile whole;
  Stopwatch watch;
  kernels::for_each_task(blocks, [&](std::int64_t task, std::int64_t thread) {
    const Block block{task * step, std::min(step, x_.count - task * step)};
    action(block, buffers_[static_cast<std::size_t>(thread)]);
  });
  watch.book(whole, Work::kOther, static_cast<double>(buffers_.size()));
  for (Buffers& buffers : buffers_) {
    for (const double busy : buffers.profile.seconds)
      whole[Work::kOther] -= busy * division_.threads_a_block;
    whole.add(std::exchange(buffers.profile, {}), division_.threads_a_block);
  }
  profile_.add(whole, 1);
}

/// Copies what the runs' first pages share with the tokens before them.
void CpuStack::begin_pages(std::int64_t layer) {
  for (Run& run : runs_) {
    kernels::KeyValuePages& own = run.own_pages(layer);
    const bool is_begun = run.packed->cache != nullptr && run.packed->cache->length() > 0;
    if (is_begun || !own.begins_inside_page()) continue;
    const auto& prefix = run.packed->prefix;
    const auto last = std::find_if(prefix.rbegin(), prefix.rend(),
                                   [](const KvCache* cache) { return cache->length() > 0; });
    check(last != prefix.rend(), "tokens before a run are in a cache");
    own.copy_begin((*last)->pages(layer).page(own.first_page()));
  }
}

std::vector<Run> CpuStack::make_runs(const PackedBatch& batch) const {
  std::vector<Run> runs;
  for (const PackedSequence& packed : batch.sequences) {
    Run& run = runs.emplace_back();
    run.packed = &packed;
    run.before = packed.tokens_before();
    if (packed.cache == nullptr) run.pages.emplace(head_shape(), run.before, packed.row_count);
    check(packed.cache == nullptr ||
              (packed.cache->length() + packed.row_count <= packed.cache->capacity() &&
               packed.cache->first() + packed.cache->length() == run.before),
          "a KV cache is large enough for its sequence and begins where its prefix ends");
  }
  return runs;
}

void CpuStack::rotate(const Rows& rows, std::int64_t heads, const Block& block,
                      const RotationTables& tables, const Rows& out) const {
  using Layout = kernels::RotationTable::Layout;
  kernels::RotationTable table{.table_heads = 1, .pairs = 0};
  if (tables.cos.defined()) {
    const std::int64_t row_size = tables.cos.size(1) * tables.cos.size(2);
    table = {.cos = tables.cos.data_ptr<float>() + block.begin * row_size,
             .sin = tables.sin.data_ptr<float>() + block.begin * row_size,
             .table_heads = tables.cos.size(1),
             .pairs = tables.cos.size(2),
             .layout = tables.layout == position::PairLayout::kInterleaved ? Layout::kInterleaved
                                                                           : Layout::kHalves};
  }
  kernels::rotate(rows, {.count = heads, .head_dim = config_.head_dim}, table, out);
}

void CpuStack::project(std::int64_t index, const Block& block, const LayerRotation& rotation,
                       Buffers& buffers) {
  const Layer& layer = layers_[static_cast<std::size_t>(index)];
  const std::int64_t query_width = config_.heads * config_.head_dim;
  const std::int64_t key_width = config_.kv_heads * config_.head_dim;
  Stopwatch watch;
  const Rows normed = buffers.normed(block.count);
  enter(layer.attention_norm, {x_[block.begin], block.count, x_.stride}, normed);
  watch.book(buffers.profile, Work::kOther);
  const Rows queries = buffers.projected(block.count);
  layer.qkv(normed, queries);
  watch.book(buffers.profile, Work::kProducts);
  if (config_.clip_qkv)
    kernels::clamp(queries, query_width + 2 * key_width, static_cast<float>(*config_.clip_qkv));
  const Rows keys{queries.first + query_width, block.count, queries.stride};
  if (layer.query_norm && config_.qk_norm.order == QkNorm::Order::kBeforeRotation) {
    (*layer.query_norm)(queries);
    (*layer.key_norm)(keys);
  }
  keep_queries(layer, block, queries, rotation);
  keep_keys(index, block, keys, rotation, buffers);
  watch.book(buffers.profile, Work::kOther);
}

/// Calls action(pages, token, first, count) for each sequence's rows of the block: `count` of them
/// from the block's row `first` on are the sequence's tokens from `token` on.
template <typename Action>
void CpuStack::for_runs(std::int64_t layer, const Block& block, const Action& action) {
  for (Run& run : runs_) {
    const std::int64_t first = std::max(run.packed->row_begin, block.begin);
    const std::int64_t last =
        std::min(run.packed->row_begin + run.packed->row_count, block.begin + block.count);
    if (first >= last) continue;
    action(run.own_pages(layer), run.before + first - run.packed->row_begin, first - block.begin,
           last - first);
  }
}

bool CpuStack::norms_behind_rotation(const Layer& layer) const {
  return layer.query_norm && config_.qk_norm.order == QkNorm::Order::kAfterRotation;
}

/// Puts the block's queries, rotated in each version, where attention reads them.
void CpuStack::keep_queries(const Layer& layer, const Block& block, const Rows& queries,
                            const LayerRotation& rotation) const {
  for (std::size_t version = 0; version < rotation.queries.size(); ++version) {
    const Rows& all = queries_[version];
    const Rows out{all[block.begin], block.count, all.stride};
    rotate(queries, config_.heads, block, rotation.queries[version], out);
    if (norms_behind_rotation(layer)) (*layer.query_norm)(out);
  }
}

/// Writes the block's keys, rotated in each version, and the values behind them to its sequences'
/// pages. The keys themselves are rotated last.
void CpuStack::keep_keys(std::int64_t layer, const Block& block, const Rows& keys,
                         const LayerRotation& rotation, Buffers& buffers) {
  for (int version = static_cast<int>(rotation.keys.size()) - 1; version >= 0; --version) {
    const Rows turned = version == 0 ? keys : buffers.turned(block.count);
    rotate(keys, config_.kv_heads, block, rotation.keys[static_cast<std::size_t>(version)], turned);
    const Layer& own = layers_[static_cast<std::size_t>(layer)];
    if (norms_behind_rotation(own)) (*own.key_norm)(turned);
    for_runs(layer, block,
             [&](kernels::KeyValuePages& pages, std::int64_t token, std::int64_t first,
                 std::int64_t count) {
               pages.write_keys(token, version, {turned[first], count, turned.stride});
             });
  }
  const float* const values = keys.first + config_.kv_heads * config_.head_dim;
  for_runs(layer, block,
           [&](kernels::KeyValuePages& pages, std::int64_t token, std::int64_t first,
               std::int64_t count) {
             pages.write_values(token, {values + first * keys.stride, count, keys.stride});
           });
}

void CpuStack::attend(std::int64_t layer) {
  Stopwatch watch;
  std::vector<kernels::SequenceView> views;
  for (Run& run : runs_) {
    const PackedSequence& packed = *run.packed;
    kernels::SequenceView& view = views.emplace_back();
    view.out = {attended_[packed.row_begin], packed.row_count, attended_.stride};
    for (std::size_t version = 0; version < queries_.size(); ++version) {
      const Rows& all = queries_[version];
      view.queries[version] = {all[packed.row_begin], packed.row_count, all.stride};
    }
    view.query_scales = encoding_.query_scales(layer, packed.first_position, packed.row_count);
    view.tokens = run.before + packed.row_count;
    const auto see = [&](const kernels::KeyValuePages& pages, std::int64_t end) {
      view.pages.resize(static_cast<std::size_t>(pages.first_page()));
      for (std::int64_t i = pages.first_page(); i * kernels::kPageTokens < end; ++i)
        view.pages.push_back(pages.page(i));
    };
    for (const KvCache* cache : packed.prefix)
      see(cache->pages(layer), cache->first() + cache->length());
    see(run.own_pages(layer), view.tokens);
  }
  watch.book(profile_, Work::kOther);
  kernels::attend(views, head_shape(), scoring_[static_cast<std::size_t>(layer)]);
  watch.book(profile_, Work::kAttention, static_cast<double>(buffers_.size()));
}

/// out = what attention or MLP reads of the residual stream x.
void CpuStack::enter(const std::optional<NormLayer>& norm, const Rows& x, const Rows& out) const {
  if (norm) {
    (*norm)(x, out);
  } else {
    kernels::copy(x, config_.width, out);
  }
  if (config_.residual == Residual::kNormedInput) kernels::copy(out, config_.width, x);
}

/// x += what attention or MLP adds.
void CpuStack::add_branch(const Projection& projection, const ConstRows& from,
                          const std::optional<NormLayer>& post_norm, const Rows& x,
                          Buffers& buffers) const {
  Stopwatch watch;
  if (!cpu::changes_branches(config_)) {
    projection.add(from, x);
    watch.book(buffers.profile, Work::kProducts);
    return;
  }
  const Rows branch = buffers.branch(x.count);
  projection(from, branch);
  watch.book(buffers.profile, Work::kProducts);
  if (post_norm) (*post_norm)(branch, branch);
  kernels::add_scaled(branch, config_.width, static_cast<float>(config_.residual_scale), x);
  watch.book(buffers.profile, Work::kOther);
}

void CpuStack::finish(const Layer& layer, const Block& block, Buffers& buffers) {
  const Rows x{x_[block.begin], block.count, x_.stride};
  const Rows normed = buffers.normed(block.count);
  const auto enter_mlp = [&] {
    Stopwatch watch;
    enter(layer.mlp_norm, x, normed);
    watch.book(buffers.profile, Work::kOther);
  };
  const bool is_parallel = config_.block != BlockForm::kSequential;
  if (is_parallel) enter_mlp();
  add_branch(layer.out, {attended_[block.begin], block.count, attended_.stride},
             layer.attention_post_norm, x, buffers);
  if (!is_parallel) enter_mlp();
  const Rows middle = buffers.mlp(block.count);
  if (division_.threads_a_block > 1) {
    Stopwatch watch;
    mlp_middle_.shared(layer.mlp_in, normed, middle, buffers_);
    watch.book(buffers.profile, Work::kProducts);
  } else {
    mlp_middle_.alone(layer.mlp_in, normed, middle, buffers);
  }
  add_branch(layer.mlp_out, middle, layer.mlp_post_norm, x, buffers);
}

at::Tensor CpuStack::hidden(const PackedBatch& batch, Rotator& rotator) {
  const std::int64_t rows = batch.tokens.size(0);
  division_ = divide(rows);
  const auto threads = static_cast<std::size_t>(kernels::thread_count());
  if (buffers_.size() != threads || buffers_.front().rows() < division_.rows)
    buffers_.assign(threads, Buffers(config_, key_versions_,
                                     std::max(division_.rows, Buffers::most_rows(config_))));
  Stopwatch watch;
  at::Tensor out = at::empty({rows, config_.width}, at::TensorOptions().dtype(at::kFloat));
  x_ = {out.data_ptr<float>(), rows, config_.width};
  const std::int64_t stride = kernels::padded_width(config_.heads * config_.head_dim);
  query_memory_.resize(static_cast<std::size_t>(query_versions_ * rows * stride));
  queries_.clear();
  for (int version = 0; version < query_versions_; ++version)
    queries_.push_back({query_memory_.data() + version * rows * stride, rows, stride});
  attended_ = queries_.front();
  runs_ = make_runs(batch);
  count_flops(batch);
  watch.book(profile_, Work::kOther);
  for_blocks([&](const Block& block, Buffers& buffers) {
    Stopwatch own;
    (*embedding_)(batch, block.begin, {x_[block.begin], block.count, x_.stride},
                  buffers.normed(1).first);
    own.book(buffers.profile, Work::kOther);
  });
  for (std::int64_t index = 0; index < config_.layers; ++index) {
    if (batch.on_state) batch.on_state(index, out);
    watch = Stopwatch();
    const LayerRotation rotation = rotator.layer(index);
    begin_pages(index);
    watch.book(profile_, Work::kOther);
    for_blocks(
        [&](const Block& block, Buffers& buffers) { project(index, block, rotation, buffers); });
    attend(index);
    const Layer& layer = layers_[static_cast<std::size_t>(index)];
    for_blocks([&](const Block& block, Buffers& buffers) { finish(layer, block, buffers); });
  }
  for (const PackedSequence& sequence : batch.sequences) {
    if (sequence.cache != nullptr) sequence.cache->advance(sequence.row_count);
  }
  runs_.clear();
  for_blocks([&](const Block& block, Buffers& buffers) {
    Stopwatch own;
    const Rows x{x_[block.begin], block.count, x_.stride};
    final_norm_(x, x);
    own.book(buffers.profile, Work::kOther);
  });
  if (batch.on_state) batch.on_state(config_.layers, out);
  return out;
}

void CpuStack::count_flops(const PackedBatch& batch) {
  const auto size = [](const Projection& projection) {
    return static_cast<double>(projection.matrix.rows() * projection.matrix.columns());
  };
  double weights = 0;
  for (const Layer& layer : layers_)
    weights += size(layer.qkv) + size(layer.out) + size(layer.mlp_in) + size(layer.mlp_out);
  const auto attended = static_cast<double>(config_.heads * config_.head_dim);
  profile_.flops += 2 * weights * static_cast<double>(x_.count) + 4 * attended * seen_keys(batch);
}

/// Keys that the batch's queries see, summed over queries and layers.
double CpuStack::seen_keys(const PackedBatch& batch) const {
  std::vector<std::pair<position::Reach, double>> known;
  double sum = 0;
  for (const kernels::Scoring& layer : scoring_) {
    auto found = std::ranges::find(known, layer.reach, &std::pair<position::Reach, double>::first);
    if (found == known.end()) {
      double seen = 0;
      for (const PackedSequence& packed : batch.sequences)
        seen += position::seen_keys(layer.reach, packed.tokens_before(), packed.row_count);
      found = known.insert(known.end(), {layer.reach, seen});
    }
    sum += found->second;
  }
  return sum;
}

std::optional<std::vector<kernels::RowLoss>> CpuStack::losses(const at::Tensor& hidden,
                                                              std::span<const TargetRow> rows,
                                                              std::int64_t candidates) {
  Stopwatch watch;
  const float* const first = hidden.data_ptr<float>();
  const std::int64_t stride = kernels::padded_width(config_.width);
  std::vector<kernels::RowLoss> losses(rows.size());
  std::vector<float> gathered(static_cast<std::size_t>(stride * kLossRows));
  std::vector<std::int64_t> targets;
  for (std::size_t begin = 0; begin < rows.size(); begin += kLossRows) {
    const auto part = rows.subspan(begin, std::min<std::size_t>(kLossRows, rows.size() - begin));
    targets.clear();
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::copy_n(first + part[i].row * config_.width, config_.width,
                  gathered.data() + static_cast<std::int64_t>(i) * stride);
      targets.push_back(part[i].target);
    }
    kernels::vocabulary_losses(head_, {gathered.data(), std::ssize(part), stride}, targets,
                               candidates, std::span(losses).subspan(begin, part.size()));
  }
  profile_.flops += 2.0 * static_cast<double>(config_.vocabulary * config_.width) *
                    static_cast<double>(rows.size());
  watch.book(profile_, Work::kVocabulary, static_cast<double>(kernels::thread_count()));
  return losses;
}

at::Tensor CpuStack::logits(const at::Tensor& rows) const {
  const at::Tensor x = rows.contiguous();
  at::Tensor out = at::empty({x.size(0), config_.vocabulary}, x.options());
  kernels::vocabulary_logits(head_, {x.data_ptr<float>(), x.size(0), config_.width},
                             {out.data_ptr<float>(), x.size(0), config_.vocabulary});
  return out;
}

}  // namespace

std::unique_ptr<LayerStack> make_cpu_stack(
    const StackParts& parts, const std::function<void(const std::string& name)>& on_packed) {
  return std::make_unique<CpuStack>(parts, on_packed);
}

}  // namespace yardstick::models
