// Files of torch.save held in memory, in both of its formats.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/checkpoint/pickle_values.hpp"
#include "models/checkpoint/tensor.hpp"

namespace yardstick::checkpoint {

/// Gives the bytes of a storage: elements x size_of(dtype) of them, or throws Error(kData).
using StorageReader = std::function<std::span<const std::byte>(const PickleStorage&)>;

/// The weights of an unpickled file as checked views, sorted by name. Each storage that they use is
/// read once; the others are not touched.
[[nodiscard]] std::vector<TensorView> make_views(const Pickle& pickle, const StorageReader& read,
                                                 const std::string& file);

/// Views into `bytes`, the contents of a torch.save file (zip form, or the form before
/// PyTorch 1.6).
[[nodiscard]] std::vector<TensorView> read_torch_file(std::span<const std::byte> bytes,
                                                      const std::string& file);

/// The form before PyTorch 1.6: five pickles, then each storage with its length in front.
[[nodiscard]] bool is_legacy_file(std::span<const std::byte> bytes);
[[nodiscard]] std::vector<TensorView> read_legacy_file(std::span<const std::byte> bytes,
                                                       const std::string& file);

}  // namespace yardstick::checkpoint
