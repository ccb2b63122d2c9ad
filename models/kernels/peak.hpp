// What one thread of this CPU can do at most.
#pragma once

namespace yardstick::models::kernels {

/// f32 multiply-adds of one thread (twice each) per second, measured on registers alone for a few
/// hundredths of a second.
[[nodiscard]] double measure_peak_flops();

}  // namespace yardstick::models::kernels
