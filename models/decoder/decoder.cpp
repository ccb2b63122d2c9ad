// Decoder: which stack of layers serves a device and dtype, and what both have in common.
#include "models/decoder/decoder.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/decoder/layer_stack.hpp"
#include "models/decoder/rotation.hpp"

namespace yardstick::models {
namespace {

/// Checks what the weights cannot say: that the encoding fits the decoder.
void check_encoding(const DecoderConfig& config, const position::Encoding& encoding) {
  const std::optional<position::RotationShape> rotation = encoding.rotation(0);
  const std::size_t slopes = encoding.bias_slopes(0).size();
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

void check_blocks(const DecoderConfig& config) {
  if (config.residual == Residual::kInput) return;
  if (config.block == BlockForm::kSequential && config.norm_placement != NormPlacement::kAfter)
    return;
  throw Error(
      ErrorKind::kModel,
      "attention and MLP are to be added to their normed input, but the blocks are "
      "parallel or have no norms before them; expected sequential blocks with norms before");
}

}  // namespace

struct Decoder::State {
  DecoderConfig config;
  std::shared_ptr<const position::Encoding> encoding;
  at::TensorOptions cache_options;
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
  state_ = std::make_unique<State>(State{.config = std::move(config),
                                         .encoding = encoding,
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
    check(before == sequence.first_position || before == 0,
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
  return {{.layers = state_->config.layers,
           .kv_heads = state_->config.kv_heads,
           .head_dim = state_->config.head_dim,
           .first = first,
           .capacity = capacity,
           .layout = state_->stack->cache_layout()},
          state_->cache_options};
}

std::int64_t Decoder::cache_bytes(std::int64_t first, std::int64_t capacity) const {
  const DecoderConfig& config = state_->config;
  if (state_->stack->cache_layout() == KvCacheShape::Layout::kPages) {
    const kernels::HeadShape shape{.kv_heads = config.kv_heads, .head_dim = config.head_dim};
    return config.layers * kernels::KeyValuePages::floats(shape, first, capacity) *
           std::int64_t{sizeof(float)};
  }
  const auto element = static_cast<std::int64_t>(state_->cache_options.dtype().itemsize());
  return 2 * config.layers * config.kv_heads * config.head_dim * element * capacity;
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
