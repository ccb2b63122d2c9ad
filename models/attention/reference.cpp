// Attention as its definition says it: dense scores, mask, softmax, one matrix product. Slow and
// memory-hungry on long sequences, obviously right, and differentiable: what other backends are
// compared with and what training uses.
#include <cmath>
#include <limits>

#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/softmax.h>

#include "core/error.hpp"
#include "models/attention/attention.hpp"
#include "models/attention/rows.hpp"

namespace yardstick::attention {
namespace {

/// What is added to the scores of queries P .. P + N - 1: -inf where a key is in the future, else
/// the ALiBi bias or 0. [N, S], or [H, N, S] with slopes; f32.
at::Tensor additive_mask(std::int64_t query_count, std::int64_t key_count, const at::Tensor& slopes,
                         at::Device device) {
  const at::TensorOptions options = at::TensorOptions(device).dtype(at::kFloat);
  const at::Tensor keys = at::arange(key_count, options);
  const at::Tensor queries = at::arange(key_count - query_count, key_count, options);
  const at::Tensor distance = queries.unsqueeze(1).sub(keys.unsqueeze(0));
  const at::Tensor future = distance.lt(0);
  const float never = -std::numeric_limits<float>::infinity();
  const at::Tensor bias =
      slopes.defined() ? slopes.view({-1, 1, 1}).mul(distance.unsqueeze(0)).neg() : distance.mul(0);
  return bias.masked_fill(future, never);
}

/// B sequences of one shape. queries [B, N, H, D], keys and values [B, S, G, D] -> [B, N, H, D].
at::Tensor dense(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                 const at::Tensor& slopes) {
  const std::int64_t batch = queries.size(0);
  const std::int64_t query_count = queries.size(1);
  const std::int64_t heads = queries.size(2);
  const std::int64_t dim = queries.size(3);
  const std::int64_t key_count = keys.size(1);
  const std::int64_t kv_heads = keys.size(2);
  const at::Tensor q = queries.to(at::kFloat)
                           .div(std::sqrt(static_cast<double>(dim)))
                           .transpose(1, 2)
                           .reshape({batch * kv_heads, heads / kv_heads * query_count, dim});
  const at::Tensor k =
      keys.to(at::kFloat).permute({0, 2, 3, 1}).reshape({batch * kv_heads, dim, key_count});
  const at::Tensor v =
      values.to(at::kFloat).transpose(1, 2).reshape({batch * kv_heads, key_count, dim});
  const at::Tensor scores =
      at::bmm(q, k)
          .view({batch, heads, query_count, key_count})
          .add(additive_mask(query_count, key_count, slopes, queries.device()));
  const at::Tensor weights =
      at::softmax(scores, -1).view({batch * kv_heads, heads / kv_heads * query_count, key_count});
  return at::bmm(weights, v)
      .view({batch, heads, query_count, dim})
      .transpose(1, 2)
      .to(queries.scalar_type());
}

/// Whether the batch is B equal sequences without prefixes that fill it completely.
bool is_uniform(const Inputs& inputs) {
  const std::int64_t count = inputs.sequences->front().row_count;
  for (const Sequence& sequence : *inputs.sequences) {
    if (sequence.row_count != count || sequence.prefix_count() > 0) return false;
  }
  return count * static_cast<std::int64_t>(inputs.sequences->size()) == inputs.queries.size(0);
}

class Reference final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }

  std::optional<std::string> refuses(const Need&) const override { return std::nullopt; }

  at::Tensor attend(const Inputs& inputs) const override {
    check_inputs(inputs);
    if (!inputs.sequences->empty() && is_uniform(inputs)) {
      const auto batch = static_cast<std::int64_t>(inputs.sequences->size());
      const auto windows = [batch](const at::Tensor& x) {
        return x.reshape({batch, x.size(0) / batch, x.size(1), x.size(2)});
      };
      return dense(windows(inputs.queries), windows(inputs.keys), windows(inputs.values),
                   inputs.slopes)
          .reshape(inputs.queries.sizes());
    }
    std::vector<at::Tensor> results;
    for (const Sequence& sequence : *inputs.sequences) {
      const auto rows = [&](const at::Tensor& x) {
        return x.narrow(0, sequence.row_begin, sequence.row_count);
      };
      const at::Tensor keys = with_prefix(sequence, &Segment::keys, rows(inputs.keys));
      const at::Tensor values = with_prefix(sequence, &Segment::values, rows(inputs.values));
      results.push_back(dense(rows(inputs.queries).unsqueeze(0), keys.unsqueeze(0),
                              values.unsqueeze(0), inputs.slopes)
                            .squeeze(0));
    }
    return join_rows(inputs, results);
  }
};

}  // namespace

const Backend& reference_backend() {
  static const Reference backend;
  return backend;
}

}  // namespace yardstick::attention
