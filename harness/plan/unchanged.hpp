// Files are read again and again while a run goes on; a key says what they were when they were
// hashed.
#pragma once

#include <cstddef>

#include "harness/plan/plan.hpp"

namespace yardstick::harness {

/// @throws Error(kData) naming the first file of the model that is not what was hashed any more.
void check_model_files(const OpenedSuite& opened, std::size_t model);

/// Those of the cell's model and of its task's data: checked before what was computed from them is
/// stored. @throws Error(kData) naming the file, what happened to it and what to do.
void check_files(const OpenedSuite& opened, const PlannedCell& cell);

}  // namespace yardstick::harness
