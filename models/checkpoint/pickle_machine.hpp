// A pickle machine for state dicts: protocols 2 to 5, data only. It knows four callables and the
// storage classes of torch (pickle_values.hpp), imports nothing and calls nothing else; steps,
// stack, sizes and all that is built are bounded, so that no file can make it run or grow without
// end.
#pragma once

#include "models/checkpoint/byte_input.hpp"
#include "models/checkpoint/pickle_values.hpp"

namespace yardstick::checkpoint {

/// Reads one pickle up to its STOP; `input` stands behind it afterwards. Tensors are not yet
/// checked against their storages. @throws Error(kData) naming the place, and the name that was
/// asked for where it is not on the list.
[[nodiscard]] Pickle unpickle(ByteInput& input);

}  // namespace yardstick::checkpoint
