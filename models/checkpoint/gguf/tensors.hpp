// A GGUF file's tensors under Hugging Face's names.
#pragma once

#include <vector>

#include "models/checkpoint/gguf/family.hpp"
#include "models/checkpoint/gguf/file.hpp"

namespace yardstick::checkpoint::gguf {

/// Whether the file's head is a second copy of its embedding, as the converter writes it for models
/// that share one matrix.
[[nodiscard]] bool has_copied_head(const File& file);

/// Views into the file's bytes, row orders undone, sorted by name; without the tensors that became
/// fields of the configuration and without a copied head. Nothing is copied.
/// @throws Error(kData) naming a tensor that the family does not have or that does not fit `dims`.
[[nodiscard]] std::vector<TensorView> make_views(const File& file, const Family& family,
                                                 const Dims& dims);

}  // namespace yardstick::checkpoint::gguf
