// The layers of the CPU's stack, packed for its kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "models/decoder/layer_stack.hpp"
#include "models/kernels/matrix_product.hpp"
#include "models/kernels/rows.hpp"

namespace yardstick::models::cpu {

using kernels::ConstRows;
using kernels::PackedMatrix;
using kernels::Rows;

/// A projection, or several of the same input in one product, with its bias.
struct Projection {
  PackedMatrix matrix;
  std::vector<float> bias;  // [N], or empty

  void operator()(const ConstRows& x, const Rows& out) const {
    matrix.multiply(x, out);
    if (!bias.empty()) kernels::add_row(out, matrix.rows(), bias.data());
  }

  /// Some outputs alone, serially.
  void some(const ConstRows& x, const PackedMatrix::Outputs& outputs, const Rows& out) const {
    matrix.multiply_some(x, outputs, out);
    if (!bias.empty()) kernels::add_row(out, outputs.count, bias.data() + outputs.first);
  }

  /// out += projection of x.
  void add(const ConstRows& x, const Rows& out) const {
    matrix.multiply_add(x, out);
    if (!bias.empty()) kernels::add_row(out, matrix.rows(), bias.data());
  }
};

struct NormLayer {
  NormKind kind = NormKind::kRms;
  double epsilon = 0;
  std::int64_t width = 0;
  std::vector<float> weight;
  std::vector<float> bias;

  void operator()(const ConstRows& x, const Rows& out) const {
    const kernels::NormWeights weights{.weight = weight.empty() ? nullptr : weight.data(),
                                       .bias = bias.empty() ? nullptr : bias.data(),
                                       .epsilon = epsilon};
    if (kind == NormKind::kRms) {
      kernels::rms_norm(x, width, weights, out);
    } else {
      kernels::layer_norm(x, width, weights, out);
    }
  }
};

/// The norm of queries or keys, in place: of each of a row's parts.
struct QkNormLayer {
  std::int64_t parts = 1;
  std::vector<NormLayer> norms;  // one for all parts, or one each

  void operator()(const Rows& x) const {
    for (std::int64_t part = 0; part < parts; ++part) {
      const NormLayer& norm = norms[norms.size() == 1 ? 0 : static_cast<std::size_t>(part)];
      const Rows own{x.first + part * norm.width, x.count, x.stride};
      norm(own, own);
    }
  }
};

struct Layer {
  std::optional<NormLayer> attention_norm;
  Projection qkv;
  std::optional<QkNormLayer> query_norm;
  std::optional<QkNormLayer> key_norm;
  Projection out;
  std::optional<NormLayer> attention_post_norm;
  std::optional<NormLayer> mlp_norm;  // attention's once more where both share it
  Projection mlp_in;                  // gate and up, or up alone
  Projection mlp_out;
  std::optional<NormLayer> mlp_post_norm;
};

/// The numbers of a tensor in f32; none if it is undefined.
[[nodiscard]] std::vector<float> numbers(const at::Tensor& x);

/// Takes weights by name, packs matrices and says which were packed.
class Builder {
 public:
  Builder(const StackParts& parts, const std::function<void(const std::string&)>& on_packed);

  /// Undefined if there is none.
  [[nodiscard]] at::Tensor find(const std::string& name) const;
  /// A norm of the residual stream.
  [[nodiscard]] NormLayer norm(const std::string& name) const;
  /// Several weights make one matrix, stacked in order.
  [[nodiscard]] Projection projection(const std::vector<std::string>& names) const;
  [[nodiscard]] Layer layer(std::int64_t index) const;

 private:
  [[nodiscard]] std::optional<QkNormLayer> qk_norm(const std::string& name,
                                                   std::int64_t heads) const;

  const DecoderConfig& config_;
  const Weights& weights_;
  kernels::WeightStorage storage_;
  const std::function<void(const std::string&)>& on_packed_;
};

}  // namespace yardstick::models::cpu
