// Inside the room: one factory an architecture; the table in registry.cpp names them all.
#pragma once

#include "models/arch/architecture.hpp"

namespace yardstick::models {

[[nodiscard]] const Architecture& llama_architecture();
[[nodiscard]] const Architecture& olmo_fope_architecture();
[[nodiscard]] const Architecture& yardstick_architecture();

}  // namespace yardstick::models
