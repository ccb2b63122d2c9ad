// Activations of an MLP's middle, as rows.hpp promises: the same bits whatever the rows around, the
// threads and the instruction set. Each in two forms: plain, out [width] = f(x) from rows of
// `width` numbers, and gated, out [width] = f(gate) * up from rows [gate | up] of 2 width numbers.
// `out` is not x. Free of torch.
#pragma once

#include <cstdint>

#include "models/kernels/rows.hpp"

namespace yardstick::models::kernels {

/// One of the functions below.
using Activate = void (*)(const ConstRows& x, std::int64_t width, const Rows& out);

/// x / (1 + e^-x).
void silu(const ConstRows& x, std::int64_t width, const Rows& out);
void silu_multiply(const ConstRows& gate_up, std::int64_t width, const Rows& out);

/// x (1 + erf(x / sqrt 2)) / 2; erf to 1.5e-7 (Abramowitz and Stegun, 7.1.26).
void gelu(const ConstRows& x, std::int64_t width, const Rows& out);
void gelu_multiply(const ConstRows& gate_up, std::int64_t width, const Rows& out);

/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
void gelu_tanh(const ConstRows& x, std::int64_t width, const Rows& out);
void gelu_tanh_multiply(const ConstRows& gate_up, std::int64_t width, const Rows& out);

/// max(x, 0); NaN stays NaN.
void relu(const ConstRows& x, std::int64_t width, const Rows& out);
void relu_multiply(const ConstRows& gate_up, std::int64_t width, const Rows& out);

/// max(x, 0)^2; NaN stays NaN.
void relu_squared(const ConstRows& x, std::int64_t width, const Rows& out);
void relu_squared_multiply(const ConstRows& gate_up, std::int64_t width, const Rows& out);

}  // namespace yardstick::models::kernels
