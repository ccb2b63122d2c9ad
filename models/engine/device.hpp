// Devices by name, and the threads that LibTorch and its BLAS may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "models/engine/engine.hpp"

namespace yardstick::models {

/// "cpu", "cuda" or "cuda:N". @throws Error(kDevice) for another name, for CUDA in a CPU-only
/// LibTorch, and for a GPU that is not there, saying which there are.
[[nodiscard]] c10::Device parse_device(std::string_view name);

/// Names that parse_device takes here: "cpu", "cuda:0", ...
[[nodiscard]] std::vector<std::string> device_names();

/// "LibTorch 1.13.0, CPU only" or "LibTorch 2.6.0, 2 CUDA devices".
[[nodiscard]] std::string library_description();

[[nodiscard]] c10::ScalarType scalar_type(ComputeType type);

/// Sets the calling thread's intra-op threads in LibTorch, the kernels and OpenBLAS. To be called
/// by each thread that computes, before it does: LibTorch keeps half of the setting thread-local,
/// and never tells OpenBLAS's pthread build.
void set_compute_threads(int threads);

}  // namespace yardstick::models
