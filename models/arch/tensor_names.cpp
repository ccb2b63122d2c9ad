#include "models/arch/tensor_names.hpp"

#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "models/position/frequencies.hpp"

namespace yardstick::models {
namespace {

using checkpoint::TensorView;
using Shape = std::vector<std::int64_t>;

void add_norm(std::vector<DecoderTensor>& out, const std::string& name, NormParameters parameters,
              std::int64_t width) {
  if (parameters != NormParameters::kNone) out.push_back({name + ".weight", {width}});
  if (parameters == NormParameters::kWeightAndBias) out.push_back({name + ".bias", {width}});
}

void add_linear(std::vector<DecoderTensor>& out, const std::string& name, Biases biases,
                Shape shape) {
  const std::int64_t rows = shape.front();
  out.push_back({name + ".weight", std::move(shape)});
  if (biases == Biases::kPresent) out.push_back({name + ".bias", {rows}});
}

void add_fope(std::vector<DecoderTensor>& out, const std::string& prefix,
              const position::PositionPlan& plan) {
  const position::Fope& fope = plan.fope;
  const std::int64_t heads =
      fope.heads == position::Fope::Heads::kSeparate ? plan.heads : std::int64_t{1};
  const Shape shape{heads, fope.input_count, fope.output_count};
  out.push_back({prefix + "fope.cos_coef", shape});
  if (fope.basis == position::Fope::Basis::kSeparate) {
    out.push_back({prefix + "fope.sin_coef", shape});
  }
}

void add_layer(std::vector<DecoderTensor>& out, const std::string& prefix,
               const DecoderConfig& config) {
  const std::int64_t width = config.width;
  const std::int64_t query_width = config.heads * config.head_dim;
  const std::int64_t key_width = config.kv_heads * config.head_dim;
  add_norm(out, prefix + "attn_norm", config.norm.parameters, width);
  add_linear(out, prefix + "q", config.attention_biases, {query_width, width});
  add_linear(out, prefix + "k", config.attention_biases, {key_width, width});
  add_linear(out, prefix + "v", config.attention_biases, {key_width, width});
  if (config.qk_norm == QkNorm::kWholeProjection) {
    add_norm(out, prefix + "q_norm", config.qk_norm_parameters, query_width);
    add_norm(out, prefix + "k_norm", config.qk_norm_parameters, key_width);
  }
  add_linear(out, prefix + "o", config.attention_out_bias, {width, query_width});
  add_norm(out, prefix + "mlp_norm", config.norm.parameters, width);
  if (config.mlp == Mlp::kSwiGlu) {
    add_linear(out, prefix + "gate", config.mlp_biases, {config.mlp_width, width});
  }
  add_linear(out, prefix + "up", config.mlp_biases, {config.mlp_width, width});
  add_linear(out, prefix + "down", config.mlp_biases, {width, config.mlp_width});
  if (config.position.kind == position::Kind::kFope) add_fope(out, prefix, config.position);
}

/// Same shape and, number by number, same values.
bool same_numbers(const TensorView& a, const TensorView& b) {
  if (a.shape != b.shape) return false;
  if (a.dtype != b.dtype || !a.is_contiguous() || !b.is_contiguous()) {
    return to_floats(a) == to_floats(b);
  }
  const std::int64_t item = checkpoint::size_of(a.dtype);
  const auto bytes = static_cast<std::size_t>(a.element_count() * item);
  return std::memcmp(a.storage.data() + a.offset * item, b.storage.data() + b.offset * item,
                     bytes) == 0;
}

}  // namespace

std::vector<DecoderTensor> decoder_tensors(const DecoderConfig& config) {
  std::vector<DecoderTensor> out;
  out.push_back({"embed.weight", {config.vocabulary, config.width}});
  if (config.position.kind == position::Kind::kLearned) {
    out.push_back({"positions.weight", {config.position.table_rows, config.width}});
  }
  if (config.embedding_norm == DecoderConfig::EmbeddingNorm::kPresent) {
    add_norm(out, "embed_norm", config.norm.parameters, config.width);
  }
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    add_layer(out, fmt::format("layers.{}.", layer), config);
  }
  add_norm(out, "norm", config.norm.parameters, config.width);
  if (config.head == Head::kSeparate) {
    add_linear(out, "head", config.head_bias, {config.vocabulary, config.width});
  }
  return out;
}

LayerName split_layer(std::string_view decoder_name) {
  constexpr std::string_view kPrefix = "layers.";
  LayerName out{-1, decoder_name};
  if (!decoder_name.starts_with(kPrefix)) return out;
  const std::string_view numbered = decoder_name.substr(kPrefix.size());
  const std::size_t dot = numbered.find('.');
  if (dot == std::string_view::npos) return out;
  std::int64_t layer = 0;
  const auto [end, error] = std::from_chars(numbered.data(), numbered.data() + dot, layer);
  if (error != std::errc{} || end != numbered.data() + dot) return out;
  return {layer, numbered.substr(dot + 1)};
}

Head decide_head(const HeadQuestion& question, const ModelOverrides& overrides,
                 const checkpoint::TensorSource& source, position::PositionPlan& plan) {
  const bool tied = overrides.tie_embeddings.value_or(question.tied_by_config);
  if (overrides.tie_embeddings) set_source(plan, "tie_embeddings", "override: tie_embeddings");
  const std::string said =
      fmt::format("{}: {} is {}{}", question.file, question.tied_key, tied,
                  overrides.tie_embeddings ? " (by the override tie_embeddings)" : "");
  const TensorView* const head = find_tensor(source, question.head);
  const TensorView* const embedding = find_tensor(source, question.embedding);
  if (head == nullptr && tied) return Head::kTied;
  if (head == nullptr) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}, but the checkpoint has no tensor '{}'; add the head, or set the "
                            "override tie_embeddings to share '{}'",
                            said, question.head, question.embedding));
  }
  if (!tied) return Head::kSeparate;
  if (embedding != nullptr && !same_numbers(*head, *embedding)) {
    throw Error(ErrorKind::kModel,
                fmt::format("{}, but the checkpoint has a tensor '{}' that differs from '{}'; set "
                            "the override tie_embeddings to false to use it",
                            said, question.head, question.embedding));
  }
  return Head::kTied;
}

void read_fope_counts(std::string_view name, const checkpoint::TensorSource& source,
                      position::PositionPlan& plan) {
  const TensorView* const matrix = find_tensor(source, name);
  if (matrix == nullptr || matrix->shape.size() < 2) {
    const position::FopeCounts counts = position::fope_counts(plan);
    plan.fope.input_count = counts.input;
    plan.fope.output_count = counts.output;
    return;
  }
  plan.fope.input_count = matrix->shape[matrix->shape.size() - 2];
  plan.fope.output_count = matrix->shape.back();
  set_source(plan, "fope.input_count", fmt::format("shape of '{}'", name));
  set_source(plan, "fope.output_count", fmt::format("shape of '{}'", name));
}

}  // namespace yardstick::models
