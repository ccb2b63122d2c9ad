// What a forward pass on the CPU does to rows of f32 numbers besides products. A row's result
// depends on that row alone, to the last bit: not on how many rows there are, where it lies among
// them, how many threads share the work or which instruction set runs. LibTorch's vectorised
// functions do not promise that. Free of torch.
#pragma once

#include <cstdint>
#include <span>

namespace yardstick::models::kernels {

struct RowShape {
  std::int64_t count = 0;
  std::int64_t width = 0;
};

/// out = x / sqrt(mean(x^2) + epsilon) * weight (or no weight: null), rows of [count, width].
void rms_norm(const float* x, const float* weight, double epsilon, RowShape shape, float* out);

/// out [count, width] = silu(gate) * up from rows [gate | up] of [count, 2 width].
void silu_multiply(const float* gate_up, RowShape shape, float* out);

/// x = x (1 + erf(x / sqrt 2)) / 2 in place; erf to 1.5e-7 (Abramowitz and Stegun, 7.1.26).
void gelu(float* x, RowShape shape);

/// What the vocabulary loss needs of one row of logits.
struct RowLoss {
  double log_sum = 0;     ///< log(sum(exp(logits))): exp in f32 below the maximum, sum in f64
  std::int64_t best = 0;  ///< first of the largest among the leading `candidates` logits
  bool is_single = true;  ///< no other candidate is as large as the best
  bool is_finite = true;  ///< no NaN and no infinity anywhere in the row
};

/// One RowLoss a row of logits [count, width]. `candidates`: how many leading logits may be chosen
/// as best.
void row_losses(const float* logits, RowShape shape, std::int64_t candidates, RowLoss* out);

}  // namespace yardstick::models::kernels
