// Attention in tiles with an online softmax (arXiv 1805.02867; in tiles arXiv 2205.14135), from
// ATen operations only: memory grows with the tile, not with N x N, and it runs on any device.
#include <algorithm>
#include <limits>

#include <ATen/ops/bmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

#include "core/error.hpp"
#include "models/attention/attention.hpp"
#include "models/attention/rows.hpp"
#include "models/attention/scores.hpp"

namespace yardstick::attention {
namespace {

constexpr std::int64_t kQueryTile = 128;
constexpr float kNever = -std::numeric_limits<float>::infinity();

/// Keys and values that start at `first_place` of their sequence.
struct Part {
  at::Tensor keys;    ///< [versions, n, G, D]
  at::Tensor values;  ///< [n, G, D]
  std::int64_t first_place = 0;

  [[nodiscard]] std::int64_t last_place() const { return first_place + values.size(0); }
};

/// Consecutive queries of one sequence.
struct Queries {
  at::Tensor rows;    ///< [versions, n, H, D]
  at::Tensor scales;  ///< [n], or undefined
  std::int64_t first_place = 0;

  [[nodiscard]] std::int64_t count() const { return rows.size(1); }
};

/// Queries and their running softmax. Heads of one group are stacked: [G, (H/G) n, D].
class QueryTile {
 public:
  QueryTile(const Queries& queries, const Inputs& inputs)
      : queries_(queries),
        scoring_(*inputs.scoring),
        tile_tokens_(inputs.tile_tokens),
        heads_(inputs.queries.size(2)),
        groups_(inputs.values.size(1)),
        dim_(inputs.values.size(2)) {
    const at::TensorOptions options = queries.rows.options().dtype(at::kFloat);
    const std::int64_t rows = heads_ / groups_ * queries.count();
    maximum_ = at::full({groups_, rows, 1}, kNever, options);
    sum_ = at::zeros({groups_, rows, 1}, options);
    output_ = at::zeros({groups_, rows, dim_}, options);
  }

  /// Takes in what the queries see of the parts, tile by tile.
  void add(const std::vector<Part>& parts) {
    for (const position::VersionRanges& ranges :
         position::version_ranges(scoring_.reach, queries_.first_place, queries_.count())) {
      const at::Tensor stacked =
          scaled(version(queries_.rows, ranges.query_version), queries_.scales, scoring_)
              .reshape({queries_.count(), groups_, heads_ / groups_, dim_})
              .permute({1, 2, 0, 3})
              .reshape({groups_, heads_ / groups_ * queries_.count(), dim_});
      for (const Part& part : parts) add_part(stacked, part, ranges);
    }
  }

  /// [n, H, D] f32.
  [[nodiscard]] at::Tensor result() const {
    return output_.div(sum_)
        .view({groups_, heads_ / groups_, queries_.count(), dim_})
        .permute({2, 0, 1, 3})
        .reshape({queries_.count(), heads_, dim_});
  }

 private:
  void add_part(const at::Tensor& stacked, const Part& part,
                const position::VersionRanges& ranges) {
    const std::int64_t last = std::min(ranges.last, part.last_place());
    for (std::int64_t key = std::max(ranges.first, part.first_place); key < last;
         key += tile_tokens_) {
      const ScoreBlock block{.ranges = ranges,
                             .query_first = queries_.first_place,
                             .query_count = queries_.count(),
                             .key_first = key,
                             .key_count = std::min(tile_tokens_, last - key),
                             .device = stacked.device()};
      add_tile(stacked, part, block);
    }
  }

  void add_tile(const at::Tensor& stacked, const Part& part, const ScoreBlock& block) {
    const std::int64_t begin = block.key_first - part.first_place;
    const at::Tensor keys =
        version(part.keys, block.ranges.key_version).narrow(0, begin, block.key_count);
    const at::Tensor values = part.values.narrow(0, begin, block.key_count);
    at::Tensor scores = capped(at::bmm(stacked, keys.to(at::kFloat).permute({1, 2, 0})), scoring_);
    mask(scores, block);
    const at::Tensor maximum = at::maximum(maximum_, scores.amax(-1, true));
    // A query that has seen nothing yet has a maximum of -inf, from which nothing can be taken.
    const at::Tensor base = maximum.masked_fill(maximum.eq(kNever), 0.0);
    const at::Tensor weights = scores.sub_(base).exp_();
    const at::Tensor shrink = maximum_.sub(base).exp_();
    sum_.mul_(shrink).add_(weights.sum(-1, true));
    output_.mul_(shrink).add_(at::bmm(weights, values.to(at::kFloat).transpose(0, 1)));
    maximum_ = maximum;
  }

  /// Adds the bias and hides what is not seen; `scores` [G, (H/G) n, m] is changed in place.
  void mask(at::Tensor& scores, const ScoreBlock& block) const {
    at::Tensor by_head = scores.view({heads_, block.query_count, block.key_count});
    const at::Tensor added = additions(scoring_, heads_, block);
    if (added.defined()) by_head.add_(added);
    const std::int64_t end = block.key_first + block.key_count;
    if (!block.ranges.all_take(block.key_first, end)) by_head.masked_fill_(hidden(block), kNever);
  }

  const Queries& queries_;
  const kernels::Scoring& scoring_;
  std::int64_t tile_tokens_;
  std::int64_t heads_;
  std::int64_t groups_;
  std::int64_t dim_;
  at::Tensor maximum_;
  at::Tensor sum_;
  at::Tensor output_;
};

void attend_sequence(const Inputs& inputs, const Sequence& sequence, at::Tensor& output) {
  const auto rows = [&](const at::Tensor& x, std::int64_t rows_at) {
    return x.narrow(rows_at, sequence.row_begin, sequence.row_count);
  };
  std::vector<Part> parts;
  std::int64_t prefix = 0;
  for (const Segment& segment : sequence.prefix) {
    parts.push_back({segment.keys, segment.values, prefix});
    prefix += segment.values.size(0);
  }
  parts.push_back({rows(inputs.keys, 1), rows(inputs.values, 0), prefix});
  const at::Tensor queries = rows(inputs.queries, 1);
  const at::Tensor scales =
      inputs.query_scales.defined() ? rows(inputs.query_scales, 0) : at::Tensor();
  at::Tensor result = rows(output, 0);
  for (std::int64_t begin = 0; begin < sequence.row_count; begin += kQueryTile) {
    const std::int64_t count = std::min(kQueryTile, sequence.row_count - begin);
    const Queries own{.rows = queries.narrow(1, begin, count),
                      .scales = scales.defined() ? scales.narrow(0, begin, count) : scales,
                      .first_place = prefix + begin};
    QueryTile tile(own, inputs);
    tile.add(parts);
    result.narrow(0, begin, count).copy_(tile.result());
  }
}

class Tiled final : public Backend {
 public:
  std::string_view name() const override { return "tiled"; }

  std::optional<std::string> refuses(const Need& need) const override {
    if (need.gradient == Need::Gradient::kNeeded) return "computes no gradients";
    return std::nullopt;
  }

  at::Tensor attend(const Inputs& inputs) const override {
    check_inputs(inputs);
    at::Tensor output = at::zeros(inputs.queries.sizes().slice(1), inputs.queries.options());
    for (const Sequence& sequence : *inputs.sequences) attend_sequence(inputs, sequence, output);
    return output;
  }
};

}  // namespace

const Backend& tiled_backend() {
  static const Tiled backend;
  return backend;
}

}  // namespace yardstick::attention
