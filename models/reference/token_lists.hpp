// Files of token ids.
#pragma once

#include <filesystem>
#include <vector>

#include "models/checkpoint/tensor.hpp"
#include "models/engine/request.hpp"

namespace yardstick::models {

using TokenLists = std::vector<std::vector<TokenId>>;

/// The lists of a file, none of them empty: JSON with one array of ids, an array of arrays or an
/// object with such an array under `sequences`; or an .npy array of integers, [N] or [1, N].
/// @throws Error(kData) naming file, list and element
[[nodiscard]] TokenLists read_token_lists(const std::filesystem::path& file);

/// The ids of an I32 or I64 tensor [N] or [1, N].
/// @throws Error(kData) naming file, tensor and element
[[nodiscard]] std::vector<TokenId> read_ids(const checkpoint::TensorView& tensor);

}  // namespace yardstick::models
