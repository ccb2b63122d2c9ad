// Which tensors of an unpickled file are the model's weights, and under which names.
#pragma once

#include <string>
#include <vector>

#include "models/checkpoint/pickle_values.hpp"

namespace yardstick::checkpoint {

struct NamedTensor {
  std::string name;        ///< nested dicts give "a.b"
  std::size_t tensor = 0;  ///< index into Pickle::tensors
};

/// The state dict of `pickle`: its root, or, where the root holds no tensor itself, the dict under
/// its one key state_dict, model_state_dict or model (what stands beside that belongs to training
/// and is not read). Plain values (None, numbers, texts) inside a state dict are no weights and are
/// left out; a tensor where no name reaches it is an error.
/// @throws Error(kData) naming `file` and key.
[[nodiscard]] std::vector<NamedTensor> find_state_dict(const Pickle& pickle,
                                                       const std::string& file);

}  // namespace yardstick::checkpoint
