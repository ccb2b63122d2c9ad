// Attention as its definition says it: dense scores, mask, softmax, one matrix product. Slow and
// memory-hungry on long sequences, obviously right, and differentiable in queries, keys and values:
// what other backends are compared with and what training uses.
#include <limits>

#include <ATen/ops/bmm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>

#include "core/error.hpp"
#include "models/attention/attention.hpp"
#include "models/attention/rows.hpp"
#include "models/attention/scores.hpp"

namespace yardstick::attention {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// B sequences of one shape.
struct Batch {
  at::Tensor queries;  ///< [versions, B, N, H, D], the last N of S tokens
  at::Tensor keys;     ///< [versions, B, S, G, D]
  at::Tensor values;   ///< [B, S, G, D]
  at::Tensor scales;   ///< [B, N], or undefined

  [[nodiscard]] std::int64_t size() const { return values.size(0); }
  [[nodiscard]] std::int64_t query_count() const { return queries.size(2); }
  [[nodiscard]] std::int64_t key_count() const { return values.size(1); }
  [[nodiscard]] std::int64_t heads() const { return queries.size(3); }
  [[nodiscard]] std::int64_t kv_heads() const { return values.size(2); }
  [[nodiscard]] std::int64_t dim() const { return values.size(3); }
};

/// Capped scores of one version of queries and keys, [B, H, N, S].
at::Tensor scores(const Batch& batch, const position::VersionRanges& ranges,
                  const kernels::Scoring& scoring) {
  const at::Tensor rows = version(batch.queries, ranges.query_version).flatten(0, 1);
  const at::Tensor q =
      scaled(rows, batch.scales, scoring)
          .view({batch.size(), batch.query_count(), batch.heads(), batch.dim()})
          .transpose(1, 2)
          .reshape({batch.size() * batch.kv_heads(),
                    batch.heads() / batch.kv_heads() * batch.query_count(), batch.dim()});
  const at::Tensor k =
      version(batch.keys, ranges.key_version)
          .to(at::kFloat)
          .permute({0, 2, 3, 1})
          .reshape({batch.size() * batch.kv_heads(), batch.dim(), batch.key_count()});
  return capped(
      at::bmm(q, k).view({batch.size(), batch.heads(), batch.query_count(), batch.key_count()}),
      scoring);
}

/// [B, N, H, D] in the queries' dtype.
at::Tensor dense(const Batch& batch, const kernels::Scoring& scoring) {
  const std::int64_t first = batch.key_count() - batch.query_count();
  at::Tensor all;  // every pair of versions in its own place, -inf where a key is not seen
  for (const position::VersionRanges& ranges :
       position::version_ranges(scoring.reach, first, batch.query_count())) {
    const ScoreBlock block{.ranges = ranges,
                           .query_first = first,
                           .query_count = batch.query_count(),
                           .key_count = batch.key_count(),
                           .device = batch.queries.device()};
    at::Tensor own = scores(batch, ranges, scoring);
    const at::Tensor added = additions(scoring, batch.heads(), block);
    if (added.defined()) own = own.add(added);
    const at::Tensor unseen = hidden(block);
    all = all.defined() ? at::where(unseen, all, own) : own.masked_fill(unseen, kNever);
  }
  const at::Tensor weights = at::softmax(all, -1).view(
      {batch.size() * batch.kv_heads(), batch.heads() / batch.kv_heads() * batch.query_count(),
       batch.key_count()});
  const at::Tensor v =
      batch.values.to(at::kFloat)
          .transpose(1, 2)
          .reshape({batch.size() * batch.kv_heads(), batch.key_count(), batch.dim()});
  return at::bmm(weights, v)
      .view({batch.size(), batch.heads(), batch.query_count(), batch.dim()})
      .transpose(1, 2)
      .to(batch.queries.scalar_type());
}

/// Whether the batch is B equal sequences without prefixes that fill it completely.
bool is_uniform(const Inputs& inputs) {
  const std::int64_t count = inputs.sequences->front().row_count;
  for (const Sequence& sequence : *inputs.sequences) {
    if (sequence.row_count != count || sequence.prefix_count() > 0) return false;
  }
  return count * static_cast<std::int64_t>(inputs.sequences->size()) == inputs.values.size(0);
}

at::Tensor attend_all(const Inputs& inputs) {
  const auto batch = static_cast<std::int64_t>(inputs.sequences->size());
  const auto windows = [batch](const at::Tensor& x, std::int64_t rows_at) {
    return x.unflatten(rows_at, {batch, x.size(rows_at) / batch});
  };
  const at::Tensor& scales = inputs.query_scales;
  return dense({.queries = windows(inputs.queries, 1),
                .keys = windows(inputs.keys, 1),
                .values = windows(inputs.values, 0),
                .scales = scales.defined() ? windows(scales, 0) : scales},
               *inputs.scoring)
      .reshape(inputs.queries.sizes().slice(1));
}

/// [n, H, D]
at::Tensor attend_one(const Inputs& inputs, const Sequence& sequence) {
  const auto rows = [&](const at::Tensor& x, std::int64_t rows_at) {
    return x.narrow(rows_at, sequence.row_begin, sequence.row_count);
  };
  const at::Tensor& scales = inputs.query_scales;
  return dense({.queries = rows(inputs.queries, 1).unsqueeze(1),
                .keys = with_prefix(sequence, &Segment::keys, rows(inputs.keys, 1)).unsqueeze(1),
                .values =
                    with_prefix(sequence, &Segment::values, rows(inputs.values, 0)).unsqueeze(0),
                .scales = scales.defined() ? rows(scales, 0).unsqueeze(0) : scales},
               *inputs.scoring)
      .squeeze(0);
}

class Reference final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }

  std::optional<std::string> refuses(const Need&) const override { return std::nullopt; }

  at::Tensor attend(const Inputs& inputs) const override {
    check_inputs(inputs);
    if (!inputs.sequences->empty() && is_uniform(inputs)) return attend_all(inputs);
    std::vector<at::Tensor> results;
    for (const Sequence& sequence : *inputs.sequences)
      results.push_back(attend_one(inputs, sequence));
    return join_rows(inputs, results);
  }
};

}  // namespace

const Backend& reference_backend() {
  static const Reference backend;
  return backend;
}

}  // namespace yardstick::attention
