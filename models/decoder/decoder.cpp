// Decoder: which stack of layers serves a device and dtype, and what both have in common.
#include "models/decoder/decoder.hpp"

#include <utility>

#include "core/error.hpp"
#include "models/decoder/layer_stack.hpp"
#include "models/decoder/rotation.hpp"

namespace yardstick::models {
namespace {

/// Whether distances are those between places of the sequence.
bool takes_places(const position::Reach& reach) {
  return reach.kind == position::ReachKind::kAll || reach.kind == position::ReachKind::kWindow;
}

/// Checks what the weights cannot say: that the encoding fits the decoder.
void check_encoding(const DecoderConfig& config, const position::Encoding& encoding) {
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::size_t slopes = encoding.bias_slopes(layer).size();
    check(slopes == 0 || slopes == static_cast<std::size_t>(config.heads),
          "an encoding has one slope a query head");
    check(slopes == 0 || takes_places(encoding.reach(layer)),
          "slopes are of distances between places; other distances need fill_bias");
    const std::optional<position::RotationShape> rotation = encoding.rotation(layer);
    if (!rotation) continue;
    check(2 * rotation->pairs <= config.head_dim, "an encoding rotates no more than a head");
    const std::int64_t heads = rotation->table_heads;
    check(heads == 1 || heads == config.heads || heads == config.kv_heads,
          "an encoding has one table, or one a query head or key head");
  }
}

void check_blocks(const DecoderConfig& config) {
  if (config.residual == Residual::kInput) return;
  if (config.block == BlockForm::kSequential && config.norm_placement != NormPlacement::kAfter)
    return;
  throw Error(
      ErrorKind::kModel,
      "attention and MLP are to be added to their normed input, but the blocks are "
      "parallel or have no norms before them; expected sequential blocks with norms before");
}

/// Whether a run that sees itself alone may start anywhere: all that positions do is turn.
bool has_no_origin(const DecoderConfig& config, const position::Encoding& encoding) {
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    if (!takes_places(encoding.reach(layer)) || encoding.has_bias(layer)) return false;
  }
  return true;
}

std::vector<int> key_versions(const DecoderConfig& config, const position::Encoding& encoding) {
  std::vector<int> versions;
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    versions.push_back(position::key_versions(encoding.reach(layer).kind));
  return versions;
}

}  // namespace

struct Decoder::State {
  DecoderConfig config;
  std::shared_ptr<const position::Encoding> encoding;
  std::vector<int> key_versions;  // [L]
  bool has_no_origin = false;
  at::TensorOptions cache_options;

  [[nodiscard]] KvCacheShape cache_shape(std::int64_t first, std::int64_t capacity) const {
    return {.key_versions = key_versions,
            .kv_heads = config.kv_heads,
            .head_dim = config.head_dim,
            .first = first,
            .capacity = capacity,
            .layout = stack->cache_layout()};
  }

  Rotator rotator;
  std::unique_ptr<LayerStack> stack;
  Profile preparation;  // of rotations, outside the stack
};

Decoder::Decoder(DecoderConfig config, Weights weights,
                 std::shared_ptr<const position::Encoding> encoding,
                 const DecoderOptions& options) {
  check_blocks(config);
  check_weights(config, weights);
  check_encoding(config, *encoding);
  const at::Tensor embedding = weights.at("embed.weight");
  const StackParts parts{config, weights, *encoding};
  const at::ScalarType dtype = embedding.scalar_type();
  const bool is_served = embedding.is_cpu() && (dtype == at::kFloat || dtype == at::kBFloat16);
  const bool uses_kernels = is_served && options.attention == nullptr &&
                            options.gradient == attention::Need::Gradient::kNone;
  std::unique_ptr<LayerStack> stack =
      uses_kernels
          ? make_cpu_stack(parts, options.on_packed)
          : make_torch_stack(parts, {.gradient = options.gradient,
                                     .attention_tile_tokens = options.attention_tile_tokens,
                                     .attention = options.attention});
  std::vector<int> versions = key_versions(config, *encoding);
  const bool has_no_origin = models::has_no_origin(config, *encoding);
  state_ = std::make_unique<State>(State{.config = std::move(config),
                                         .encoding = encoding,
                                         .key_versions = std::move(versions),
                                         .has_no_origin = has_no_origin,
                                         .cache_options = embedding.options(),
                                         .rotator = Rotator(encoding, embedding.device()),
                                         .stack = std::move(stack)});
}

Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

at::Tensor Decoder::hidden(const PackedBatch& batch) {
  std::vector<Rotator::PlacedRun> runs;
  for (const PackedSequence& sequence : batch.sequences) {
    const std::int64_t before = sequence.tokens_before();
    check(before == sequence.first_position || (before == 0 && state_->has_no_origin),
          "a packed run continues behind its cached tokens");
    runs.push_back({{sequence.first_position, sequence.first_position + sequence.row_count,
                     sequence.total_length},
                    sequence.row_begin});
  }
  Stopwatch watch;
  state_->rotator.prepare(runs, batch.tokens.size(0));
  watch.book(state_->preparation, Work::kOther);
  return state_->stack->hidden(batch, state_->rotator);
}

at::Tensor Decoder::logits(const at::Tensor& hidden_rows) const {
  return state_->stack->logits(hidden_rows);
}

std::optional<std::vector<kernels::RowLoss>> Decoder::losses(const at::Tensor& hidden,
                                                             std::span<const TargetRow> rows,
                                                             std::int64_t candidates) {
  return state_->stack->losses(hidden, rows, candidates);
}

KvCache Decoder::make_cache(std::int64_t first, std::int64_t capacity) const {
  return {state_->cache_shape(first, capacity), state_->cache_options};
}

std::int64_t Decoder::cache_bytes(std::int64_t first, std::int64_t capacity) const {
  return models::cache_bytes(state_->cache_shape(first, capacity),
                             c10::typeMetaToScalarType(state_->cache_options.dtype()));
}

std::optional<std::int64_t> Decoder::pass_bytes(std::int64_t tokens) const {
  return state_->stack->pass_bytes(tokens);
}

const DecoderConfig& Decoder::config() const { return state_->config; }
std::string_view Decoder::attention_name() const { return state_->stack->attention_name(); }

std::optional<Profile> Decoder::profile() const {
  std::optional<Profile> profile = state_->stack->profile();
  if (profile) profile->add(state_->preparation, 1);
  return profile;
}

}  // namespace yardstick::models
