// The CPU's attention kernel seen as a backend, so that one test serves all: pages are made of a
// batch's rows and its sequences' prefixes.
#pragma once

#include <vector>

#include <ATen/ops/zeros.h>

#include "models/attention/attention.hpp"
#include "models/kernels/attention.hpp"

namespace yardstick::test {

class CpuKernelBackend final : public attention::Backend {
 public:
  std::string_view name() const override { return "cpu"; }
  std::optional<std::string> refuses(const attention::Need& /*need*/) const override {
    return std::nullopt;
  }

  at::Tensor attend(const attention::Inputs& inputs) const override {
    namespace kernels = models::kernels;
    const at::Tensor queries = inputs.queries.contiguous();
    const std::int64_t width = queries.size(2) * queries.size(3);
    const kernels::HeadShape shape{.heads = queries.size(2),
                                   .kv_heads = inputs.keys.size(2),
                                   .head_dim = queries.size(3),
                                   .key_versions = static_cast<int>(inputs.keys.size(0))};
    at::Tensor out = at::zeros(queries.sizes().slice(1), queries.options());
    std::vector<kernels::KeyValuePages> pages;
    pages.reserve(64);
    std::vector<kernels::SequenceView> views;
    for (const attention::Sequence& sequence : *inputs.sequences) {
      kernels::SequenceView& view = views.emplace_back();
      const std::int64_t begin = sequence.row_begin;
      for (std::int64_t version = 0; version < queries.size(0); ++version) {
        view.queries[static_cast<std::size_t>(version)] = {
            queries.select(0, version).data_ptr<float>() + begin * width, sequence.row_count,
            width};
      }
      if (inputs.query_scales.defined()) {
        const float* const scales = inputs.query_scales.data_ptr<float>() + begin;
        view.query_scales.assign(scales, scales + sequence.row_count);
      }
      view.out = {out.data_ptr<float>() + begin * width, sequence.row_count, width};
      for (const attention::Segment& segment : sequence.prefix)
        pages.push_back(append(segment.keys, segment.values, shape, view));
      pages.push_back(append(inputs.keys.narrow(1, begin, sequence.row_count),
                             inputs.values.narrow(0, begin, sequence.row_count), shape, view));
    }
    kernels::attend(views, shape, *inputs.scoring);
    return out;
  }

 private:
  /// Pages of the next tokens of the sequence, which the view sees from then on.
  static models::kernels::KeyValuePages append(const at::Tensor& keys, const at::Tensor& values,
                                               const models::kernels::HeadShape& shape,
                                               models::kernels::SequenceView& view) {
    const std::int64_t count = values.size(0);
    const std::int64_t stride = values.size(1) * values.size(2);
    models::kernels::KeyValuePages own(shape, view.tokens, count);
    if (own.begins_inside_page()) own.copy_begin(view.pages.back());
    for (int version = 0; version < shape.key_versions; ++version) {
      const at::Tensor k = keys.select(0, version).contiguous();
      own.write_keys(view.tokens, version, {k.data_ptr<float>(), count, stride});
    }
    const at::Tensor v = values.contiguous();
    own.write_values(view.tokens, {v.data_ptr<float>(), count, stride});
    view.tokens += count;
    view.pages.resize(static_cast<std::size_t>(own.first_page()));
    while (std::ssize(view.pages) * models::kernels::kPageTokens < view.tokens)
      view.pages.push_back(own.page(std::ssize(view.pages)));
    return own;
  }
};

inline const attention::Backend& cpu_kernel() {
  static const CpuKernelBackend backend;
  return backend;
}

}  // namespace yardstick::test
