// Shared by the backends: what inputs must look like, and how per-sequence rows become a batch.
#include "models/attention/rows.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "core/error.hpp"

namespace yardstick::attention {

void check_inputs(const Inputs& inputs) {
  const at::Tensor& q = inputs.queries;
  const at::Tensor& k = inputs.keys;
  check(q.dim() == 3 && k.dim() == 3 && k.sizes() == inputs.values.sizes(),
        "attention takes queries [T, H, D] and keys and values [T, G, D]");
  check(k.size(0) == q.size(0) && k.size(2) == q.size(2) && q.size(1) % k.size(1) == 0,
        "attention's keys have the queries' rows and head size, and their heads divide evenly");
  check(!inputs.slopes.defined() || inputs.slopes.numel() == q.size(1),
        "attention has one slope a query head");
  check(inputs.sequences != nullptr && inputs.tile_tokens > 0, "attention has sequences to do");
  std::int64_t end = 0;
  for (const Sequence& sequence : *inputs.sequences) {
    check(sequence.row_begin >= end && sequence.row_count > 0,
          "a batch's sequences are in row order and do not overlap");
    end = sequence.row_begin + sequence.row_count;
    for (const Segment& segment : sequence.prefix) {
      check(segment.keys.sizes() == segment.values.sizes() && segment.keys.size(1) == k.size(1) &&
                segment.keys.size(2) == k.size(2),
            "a prefix has keys and values [n, G, D]");
    }
  }
  check(end <= q.size(0), "a batch's sequences lie within its rows");
}

at::Tensor join_rows(const Inputs& inputs, const std::vector<at::Tensor>& results) {
  std::vector<at::Tensor> parts;
  std::int64_t end = 0;
  const auto fill_up_to = [&](std::int64_t row) {
    if (row == end) return;
    parts.push_back(at::zeros({row - end, inputs.queries.size(1), inputs.queries.size(2)},
                              inputs.queries.options()));
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Sequence& sequence = (*inputs.sequences)[i];
    fill_up_to(sequence.row_begin);
    parts.push_back(results[i]);
    end = sequence.row_begin + sequence.row_count;
  }
  fill_up_to(inputs.queries.size(0));
  return parts.size() == 1 ? parts.front().contiguous() : at::cat(parts);
}

at::Tensor with_prefix(const Sequence& sequence, at::Tensor Segment::*side,
                       const at::Tensor& suffix) {
  if (sequence.prefix.empty()) return suffix;
  std::vector<at::Tensor> parts;
  for (const Segment& segment : sequence.prefix) parts.push_back(segment.*side);
  parts.push_back(suffix);
  return at::cat(parts);
}

}  // namespace yardstick::attention
