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
    const std::int64_t width = queries.size(1) * queries.size(2);
    const kernels::HeadShape shape{
        .heads = queries.size(1), .kv_heads = inputs.keys.size(1), .head_dim = queries.size(2)};
    at::Tensor out = at::zeros(queries.sizes(), queries.options());
    std::vector<kernels::KeyValuePages> pages;
    pages.reserve(64);
    std::vector<kernels::SequenceView> views;
    for (const attention::Sequence& sequence : *inputs.sequences) {
      kernels::SequenceView& view = views.emplace_back();
      view.queries = {queries.data_ptr<float>() + sequence.row_begin * width, sequence.row_count,
                      width};
      view.out = {out.data_ptr<float>() + sequence.row_begin * width, sequence.row_count, width};
      const auto see = [&](const at::Tensor& keys, const at::Tensor& values) {
        const at::Tensor k = keys.contiguous();
        const at::Tensor v = values.contiguous();
        const std::int64_t stride = k.size(1) * k.size(2);
        kernels::KeyValuePages& own = pages.emplace_back(shape, view.tokens, k.size(0));
        if (own.begins_inside_page()) own.copy_begin(view.pages.back());
        own.write(view.tokens,
                  {k.data_ptr<float>(), stride, v.data_ptr<float>(), stride, k.size(0)});
        view.tokens += k.size(0);
        view.pages.resize(static_cast<std::size_t>(own.first_page()));
        while (std::ssize(view.pages) * kernels::kPageTokens < view.tokens)
          view.pages.push_back(own.page(std::ssize(view.pages)));
      };
      for (const attention::Segment& segment : sequence.prefix) see(segment.keys, segment.values);
      see(inputs.keys.narrow(0, sequence.row_begin, sequence.row_count),
          inputs.values.narrow(0, sequence.row_begin, sequence.row_count));
    }
    const at::Tensor slopes =
        inputs.slopes.defined() ? inputs.slopes.to(at::kFloat).contiguous() : at::Tensor();
    kernels::attend(views, shape, slopes.defined() ? slopes.data_ptr<float>() : nullptr);
    return out;
  }
};

inline const attention::Backend& cpu_kernel() {
  static const CpuKernelBackend backend;
  return backend;
}

}  // namespace yardstick::test
