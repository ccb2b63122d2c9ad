// Inside the room: bounding scores smoothly.
#pragma once

#include <cstdint>

namespace yardstick::models::kernels {

/// x becomes cap tanh(x / cap), `count` numbers; NaN stays NaN.
using SoftCap = void (*)(float* x, std::int64_t count, float cap);

/// The fastest for this CPU. All that have FMA give the same bits.
[[nodiscard]] SoftCap soft_cap_function();

}  // namespace yardstick::models::kernels
