// Attention in tiles with an online softmax (arXiv 1805.02867; in tiles arXiv 2205.14135), from
// ATen operations only: memory grows with the tile, not with N x N, and it runs on any device.
#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

#include "core/error.hpp"
#include "models/attention/attention.hpp"
#include "models/attention/rows.hpp"

namespace yardstick::attention {
namespace {

constexpr std::int64_t kQueryTile = 128;

/// Keys and values [n, G, D] that start at `first_position` of their sequence.
struct Span {
  at::Tensor keys;
  at::Tensor values;
  std::int64_t first_position = 0;
};

/// Queries [first_position, first_position + count) of one sequence and their running softmax.
class QueryTile {
 public:
  /// `queries` [n, H, D]; `kv_heads` = G; heads of one group are stacked: [G, (H/G) n, D].
  QueryTile(const at::Tensor& queries, std::int64_t kv_heads, std::int64_t first_position)
      : first_(first_position), count_(queries.size(0)), groups_(kv_heads) {
    const std::int64_t dim = queries.size(2);
    group_heads_ = queries.size(1) / kv_heads;
    queries_ = queries.to(at::kFloat)
                   .div(std::sqrt(static_cast<double>(dim)))
                   .reshape({count_, groups_, group_heads_, dim})
                   .permute({1, 2, 0, 3})
                   .reshape({groups_, group_heads_ * count_, dim});
    const at::TensorOptions options = queries_.options();
    const std::int64_t rows = group_heads_ * count_;
    maximum_ = at::full({groups_, rows, 1}, -std::numeric_limits<float>::infinity(), options);
    sum_ = at::zeros({groups_, rows, 1}, options);
    output_ = at::zeros({groups_, rows, dim}, options);
  }

  /// Takes in keys and values [m, G, D] of positions key_first .. key_first + m - 1. The first call
  /// brings position 0, which every query sees, so the running maximum is a number from then on.
  void add(const at::Tensor& keys, const at::Tensor& values, std::int64_t key_first,
           const at::Tensor& slopes) {
    at::Tensor scores = at::bmm(queries_, keys.to(at::kFloat).permute({1, 2, 0}));
    mask(scores, key_first, slopes);
    const at::Tensor maximum = at::maximum(maximum_, scores.amax(-1, true));
    const at::Tensor weights = scores.sub_(maximum).exp_();
    const at::Tensor shrink = maximum_.sub(maximum).exp_();
    sum_.mul_(shrink).add_(weights.sum(-1, true));
    output_.mul_(shrink).add_(at::bmm(weights, values.to(at::kFloat).transpose(0, 1)));
    maximum_ = maximum;
  }

  /// [n, H, D] f32.
  [[nodiscard]] at::Tensor result() const {
    const std::int64_t dim = output_.size(2);
    return output_.div(sum_)
        .view({groups_, group_heads_, count_, dim})
        .permute({2, 0, 1, 3})
        .reshape({count_, groups_ * group_heads_, dim});
  }

 private:
  /// Adds the bias and hides future keys; `scores` [G, (H/G) n, m] is changed in place.
  void mask(at::Tensor& scores, std::int64_t key_first, const at::Tensor& slopes) const {
    const std::int64_t key_count = scores.size(2);
    const bool all_past = key_first + key_count - 1 <= first_;
    if (all_past && !slopes.defined()) return;
    const at::TensorOptions options = scores.options();
    const at::Tensor distance =
        at::arange(first_, first_ + count_, options)
            .unsqueeze(1)
            .sub(at::arange(key_first, key_first + key_count, options).unsqueeze(0));
    at::Tensor by_head = scores.view({groups_, group_heads_, count_, key_count});
    if (slopes.defined()) by_head.sub_(slopes.view({groups_, group_heads_, 1, 1}).mul(distance));
    if (!all_past) by_head.masked_fill_(distance.lt(0), -std::numeric_limits<float>::infinity());
  }

  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::int64_t groups_ = 0;
  std::int64_t group_heads_ = 0;
  at::Tensor queries_;
  at::Tensor maximum_;
  at::Tensor sum_;
  at::Tensor output_;
};

/// Feeds the span's keys that the tile may see, up to position `last`, tile by tile.
void add_span(QueryTile& tile, const Span& span, std::int64_t last, const Inputs& inputs) {
  const std::int64_t visible = std::min(span.keys.size(0), last + 1 - span.first_position);
  for (std::int64_t begin = 0; begin < visible; begin += inputs.tile_tokens) {
    const std::int64_t count = std::min(inputs.tile_tokens, visible - begin);
    tile.add(span.keys.narrow(0, begin, count), span.values.narrow(0, begin, count),
             span.first_position + begin, inputs.slopes);
  }
}

void attend_sequence(const Inputs& inputs, const Sequence& sequence, at::Tensor& output) {
  const auto rows = [&](const at::Tensor& x) {
    return x.narrow(0, sequence.row_begin, sequence.row_count);
  };
  std::vector<Span> spans;
  std::int64_t prefix = 0;
  for (const Segment& segment : sequence.prefix) {
    spans.push_back({segment.keys, segment.values, prefix});
    prefix += segment.keys.size(0);
  }
  spans.push_back({rows(inputs.keys), rows(inputs.values), prefix});
  const at::Tensor queries = rows(inputs.queries);
  at::Tensor result = rows(output);
  for (std::int64_t begin = 0; begin < sequence.row_count; begin += kQueryTile) {
    const std::int64_t count = std::min(kQueryTile, sequence.row_count - begin);
    QueryTile tile(queries.narrow(0, begin, count), inputs.keys.size(1), prefix + begin);
    for (const Span& span : spans) add_span(tile, span, prefix + begin + count - 1, inputs);
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
    at::Tensor output = at::zeros(inputs.queries.sizes(), inputs.queries.options());
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
