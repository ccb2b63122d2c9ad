// Device names and thread counts.
#include "models/engine/device.hpp"

#include <charconv>
#include <optional>

#include <dlfcn.h>

#include <ATen/Parallel.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "core/error.hpp"
#include "models/kernels/parallel.hpp"

namespace yardstick::models {
namespace {

int gpu_count() {
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) return 0;
  return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount();
}

/// N of "cuda:N", 0 for "cuda".
std::optional<int> gpu_index(std::string_view name) {
  if (name == "cuda") return 0;
  if (!name.starts_with("cuda:")) return std::nullopt;
  name.remove_prefix(5);
  int index = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (status != std::errc() || end != name.data() + name.size() || index < 0) return std::nullopt;
  return index;
}

}  // namespace

c10::Device parse_device(std::string_view name) {
  if (name == "cpu") return c10::Device(c10::DeviceType::CPU);
  const std::optional<int> index = gpu_index(name);
  if (!index) {
    throw Error(ErrorKind::kDevice,
                fmt::format("unknown device '{}'; expected cpu, cuda or cuda:N", name));
  }
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) {
    throw Error(
        ErrorKind::kDevice,
        fmt::format("device '{}': this build uses a CPU-only LibTorch ({}); use device cpu, "
                    "or build against a CUDA LibTorch",
                    name, TORCH_VERSION));
  }
  if (*index >= gpu_count()) {
    throw Error(ErrorKind::kDevice,
                fmt::format("device '{}': {} CUDA devices were found", name, gpu_count()));
  }
  return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(*index)};
}

std::vector<std::string> device_names() {
  std::vector<std::string> names = {"cpu"};
  for (int i = 0; i < gpu_count(); ++i) names.push_back(fmt::format("cuda:{}", i));
  return names;
}

std::string library_description() {
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA))
    return fmt::format("LibTorch {}, CPU only", TORCH_VERSION);
  return fmt::format("LibTorch {}, {} CUDA devices", TORCH_VERSION, gpu_count());
}

c10::ScalarType scalar_type(ComputeType type) {
  switch (type) {
    case ComputeType::kFloat32: return c10::ScalarType::Float;
    case ComputeType::kBFloat16: return c10::ScalarType::BFloat16;
    case ComputeType::kFloat16: return c10::ScalarType::Half;
  }
  check(false, "every compute type has a LibTorch type");
  return c10::ScalarType::Float;
}

void set_compute_threads(int threads) {
  at::set_num_threads(threads);
  kernels::set_thread_count(threads);  // LibTorch may have an OpenMP runtime of its own
  using SetThreads = void (*)(int);
  const auto set_openblas =
      reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_openblas != nullptr) set_openblas(threads);
}

}  // namespace yardstick::models
