// What a forward pass on the CPU does to rows of f32 numbers besides products. A row's result
// depends on that row alone, to the last bit: not on how many rows there are, where it lies among
// them, how many threads share the work or which instruction set runs. LibTorch's vectorised
// functions do not promise that. Serial: whoever calls divides the rows among threads. Free of
// torch.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

/// Rows that are read, `stride` numbers apart.
struct ConstRows {
  const float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t stride = 0;

  [[nodiscard]] const float* operator[](std::int64_t row) const { return first + row * stride; }
};

/// Rows that are written.
struct Rows {
  float* first = nullptr;
  std::int64_t count = 0;
  std::int64_t stride = 0;

  [[nodiscard]] float* operator[](std::int64_t row) const { return first + row * stride; }
  // NOLINTNEXTLINE(google-explicit-constructor): rows that can be written can be read.
  operator ConstRows() const { return {first, count, stride}; }
};

/// Learned parameters of a norm; null where it has none.
struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
  double epsilon = 0;
};

/// out = x / sqrt(mean(x^2) + epsilon) * weight + bias. `out` may be x.
void rms_norm(const ConstRows& x, std::int64_t width, const NormWeights& weights, const Rows& out);

/// out = (x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias. `out` may be x.
void layer_norm(const ConstRows& x, std::int64_t width, const NormWeights& weights,
                const Rows& out);

/// x = min(max(x, -limit), limit); NaN stays NaN.
void clamp(const Rows& x, std::int64_t width, float limit);

/// x = cap tanh(x / cap), to 4e-7 relative; NaN stays NaN.
void soft_cap(const Rows& x, std::int64_t width, float cap);

/// x *= factor.
void scale(const Rows& x, std::int64_t width, float factor);

/// x += row [width].
void add_row(const Rows& x, std::int64_t width, const float* row);

/// x += factor * added, row by row.
void add_scaled(const ConstRows& added, std::int64_t width, float factor, const Rows& x);

/// out = x. They do not overlap.
void copy(const ConstRows& x, std::int64_t width, const Rows& out);

}  // namespace yardstick::models::kernels
