// Attention on the CPU in f32: the kernel of models/kernels/attention.hpp.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "models/attention/attention.hpp"
#include "models/attention/rows.hpp"
#include "models/kernels/attention.hpp"

namespace yardstick::attention {
namespace {

namespace kernels = models::kernels;

/// x [n, heads, D] as rows that are contiguous in themselves.
at::Tensor with_whole_rows(const at::Tensor& x) {
  const bool whole = x.stride(2) == 1 && x.stride(1) == x.size(2);
  return whole ? x : x.contiguous();
}

/// Keeps what the views of a batch point at.
class Views {
 public:
  Views(const Inputs& inputs, const at::Tensor& output)
      : queries_(with_whole_rows(inputs.queries)) {
    for (const Sequence& sequence : *inputs.sequences) {
      kernels::SequenceView view{
          .queries = queries_.data_ptr<float>() + sequence.row_begin * queries_.stride(0),
          .query_stride = queries_.stride(0),
          .out = output.data_ptr<float>() + sequence.row_begin * output.stride(0),
          .count = sequence.row_count};
      for (const Segment& segment : sequence.prefix)
        view.rows.push_back(rows(segment.keys, segment.values));
      view.rows.push_back(rows(inputs.keys.narrow(0, sequence.row_begin, sequence.row_count),
                               inputs.values.narrow(0, sequence.row_begin, sequence.row_count)));
      sequences_.push_back(std::move(view));
    }
  }

  [[nodiscard]] const std::vector<kernels::SequenceView>& sequences() const { return sequences_; }

 private:
  kernels::KeyValueRows rows(const at::Tensor& keys, const at::Tensor& values) {
    const at::Tensor& k = kept_.emplace_back(with_whole_rows(keys));
    const float* const first_key = k.data_ptr<float>();
    const std::int64_t key_stride = k.stride(0);
    const at::Tensor& v = kept_.emplace_back(with_whole_rows(values));
    return {.keys = first_key,
            .key_stride = key_stride,
            .values = v.data_ptr<float>(),
            .value_stride = v.stride(0),
            .count = keys.size(0)};
  }

  at::Tensor queries_;
  std::vector<at::Tensor> kept_;
  std::vector<kernels::SequenceView> sequences_;
};

class Cpu final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  std::optional<std::string> refuses(const Need& need) const override {
    if (need.gradient == Need::Gradient::kNeeded) return "computes no gradients";
    if (!need.device.is_cpu()) return "runs on the CPU";
    if (need.dtype != at::kFloat) return "computes float32";
    return std::nullopt;
  }

  at::Tensor attend(const Inputs& inputs) const override {
    check_inputs(inputs);
    const at::Tensor& q = inputs.queries;
    at::Tensor output = at::zeros(q.sizes(), q.options());
    const Views views(inputs, output);
    const at::Tensor slopes =
        inputs.slopes.defined() ? inputs.slopes.to(at::kFloat).contiguous() : at::Tensor();
    kernels::attend(views.sequences(),
                    {.heads = q.size(1), .kv_heads = inputs.keys.size(1), .head_dim = q.size(2)},
                    slopes.defined() ? slopes.data_ptr<float>() : nullptr);
    return output;
  }
};

}  // namespace

const Backend& cpu_backend() {
  static const Cpu backend;
  return backend;
}

}  // namespace yardstick::attention
