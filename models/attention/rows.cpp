// Shared by the backends: what inputs must look like, and how per-sequence rows become a batch.
#include "models/attention/rows.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "core/error.hpp"
#include "models/position/reach.hpp"

namespace yardstick::attention {

void check_inputs(const Inputs& inputs) {
  const at::Tensor& q = inputs.queries;
  const at::Tensor& k = inputs.keys;
  check(inputs.sequences != nullptr && inputs.scoring != nullptr && inputs.tile_tokens > 0,
        "attention has sequences to do, and a scoring");
  const kernels::Scoring& scoring = *inputs.scoring;
  check(q.dim() == 4 && q.size(0) == position::query_versions(scoring.reach.kind) && k.dim() == 4 &&
            k.size(0) == position::key_versions(scoring.reach.kind),
        "attention takes queries [versions, T, H, D] and keys [versions, T, G, D] in the versions "
        "that its reach asks for");
  check(k.sizes().slice(1) == inputs.values.sizes() && k.size(1) == q.size(1) &&
            k.size(3) == q.size(3) && q.size(2) % k.size(2) == 0,
        "attention's keys and values [T, G, D] have the queries' rows and head size, and their "
        "heads divide evenly");
  check(scoring.slopes.empty() || std::ssize(scoring.slopes) == q.size(2),
        "attention has one slope a query head");
  check(!inputs.query_scales.defined() || inputs.query_scales.numel() == q.size(1),
        "attention has one factor a query row");
  std::int64_t end = 0;
  for (const Sequence& sequence : *inputs.sequences) {
    check(sequence.row_begin >= end && sequence.row_count > 0,
          "a batch's sequences are in row order and do not overlap");
    end = sequence.row_begin + sequence.row_count;
    for (const Segment& segment : sequence.prefix) {
      check(segment.keys.size(0) == k.size(0) &&
                segment.keys.sizes().slice(1) == segment.values.sizes() &&
                segment.values.sizes().slice(1) == inputs.values.sizes().slice(1),
            "a prefix has keys [versions, n, G, D] and values [n, G, D]");
    }
  }
  check(end <= q.size(1), "a batch's sequences lie within its rows");
}

at::Tensor join_rows(const Inputs& inputs, const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> parts;
  std::int64_t end = 0;
  const auto fill_up_to = [&](std::int64_t row) {
    if (row == end) return;
    parts.push_back(at::zeros({row - end, inputs.queries.size(2), inputs.queries.size(3)},
                              inputs.queries.options()));
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Sequence& sequence = (*inputs.sequences)[i];
    fill_up_to(sequence.row_begin);
    parts.push_back(results[i]);
    end = sequence.row_begin + sequence.row_count;
  }
  fill_up_to(inputs.queries.size(1));
  return parts.size() == 1 ? parts.front().contiguous() : at::cat(parts);
}

at::Tensor with_prefix(const Sequence& sequence, at::Tensor Segment::*side,
                       const at::Tensor& suffix) {
  if (sequence.prefix.empty()) return suffix;
  std::vector<at::Tensor> parts;
  for (const Segment& segment : sequence.prefix) parts.push_back(segment.*side);
  parts.push_back(suffix);
  return at::cat(parts, suffix.dim() - 3);
}

}  // namespace yardstick::attention
