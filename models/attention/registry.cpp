// The table of attention backends over tensors. Own kernels stand in front of the portable ones,
// and refuse what they do not serve; CUDA kernels join here.
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "models/attention/attention.hpp"

namespace yardstick::attention {

std::vector<const Backend*> backends() { return {&tiled_backend(), &reference_backend()}; }

const Backend& choose_backend(const Need& need) {
  std::string reasons;
  for (const Backend* backend : backends()) {
    const std::optional<std::string> reason = backend->refuses(need);
    if (!reason) return *backend;
    reasons += fmt::format("; {} {}", backend->name(), *reason);
  }
  throw Error(ErrorKind::kDevice,
              fmt::format("no attention backend serves device {}{}", need.device.str(), reasons));
}

}  // namespace yardstick::attention
