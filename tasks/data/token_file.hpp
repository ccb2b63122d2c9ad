// Token streams that someone has tokenised already: .npy, headless .bin, JSON arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/engine/request.hpp"
#include "tasks/data/source.hpp"

namespace yardstick::tasks {

/// What may be taken from a token file.
struct TokenLimits {
  std::int64_t vocabulary = 0;             ///< ids lie in [0, vocabulary)
  std::optional<std::int64_t> max_tokens;  ///< of all documents together
};

/// The documents of a token file, in order; a .npy or .bin file is one document.
/// @throws Error(kData) naming the file, the index and the value of an id outside the vocabulary,
/// or a size that is no whole number of ids.
[[nodiscard]] std::vector<std::vector<TokenId>> read_token_file(const DataSource& source,
                                                                const TokenLimits& limits);

}  // namespace yardstick::tasks
