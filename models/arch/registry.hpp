// Choice of the architecture that reads a configuration.
#pragma once

#include "models/arch/architecture.hpp"

namespace yardstick::models {

/// The architecture that accepts `config`. @throws Error(kModel) naming the model_type found and
/// what is supported.
[[nodiscard]] const Architecture& choose_architecture(const ConfigSource& config);

}  // namespace yardstick::models
