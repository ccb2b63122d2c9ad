#include "models/arch/tensor_names.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "models/position/encoding.hpp"
#include "models/position/frequencies.hpp"

namespace yardstick::models {
namespace {

using checkpoint::TensorView;

void add_fope(std::vector<DecoderTensor>& out, const std::string& prefix,
              const position::PositionPlan& plan) {
  const position::Fope& fope = plan.fope;
  std::int64_t heads = 1;
  if (fope.heads == position::Fope::Heads::kSeparate) heads = plan.heads;
  if (fope.heads == position::Fope::Heads::kKeyHeads) heads = plan.kv_heads;
  const std::vector<std::int64_t> shape{heads, fope.input_count, fope.output_count};
  out.push_back({prefix + "fope.cos_coef", shape});
  if (fope.basis == position::Fope::Basis::kSeparate) {
    out.push_back({prefix + "fope.sin_coef", shape});
  }
}

/// Same shape and, number by number, same values.
bool same_numbers(const TensorView& a, const TensorView& b) {
  if (a.shape != b.shape) return false;
  if (a.dtype != b.dtype || !a.is_contiguous() || !b.is_contiguous()) {
    return to_floats(a) == to_floats(b);
  }
  const std::span<const std::byte> left = a.bytes();
  return left.empty() || std::memcmp(left.data(), b.bytes().data(), left.size()) == 0;
}

}  // namespace

std::vector<DecoderTensor> checkpoint_tensors(const DecoderConfig& config) {
  std::vector<DecoderTensor> out = decoder_tensors(config);
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::int64_t kind = config.layer_plans.kind(layer);
    const position::PositionPlan& plan =
        kind == 0 ? config.position : config.layer_plans.others[static_cast<std::size_t>(kind - 1)];
    const std::string prefix = fmt::format("layers.{}.", layer);
    if (plan.kind == position::Kind::kFope) add_fope(out, prefix, plan);
    for (position::EncodingTensor& tensor : position::encoding_tensors(plan))
      out.push_back({fmt::format("{}position.{}", prefix, tensor.name), std::move(tensor.shape)});
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
