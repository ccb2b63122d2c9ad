// Stop texts: where a generated answer ends, and which tokens can end generation early.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine/request.hpp"

namespace yardstick::tasks {

/// `text` up to the first place where one of `stops` stands.
[[nodiscard]] std::string_view cut_at_stop(std::string_view text,
                                           std::span<const std::string> stops);

/// Ids whose own text holds one of `stops`, ascending, for Request::end_tokens. Decodes the whole
/// vocabulary once. A stop text that only several tokens make together ends nothing early; the
/// answer is cut all the same.
[[nodiscard]] std::vector<TokenId> stop_tokens_of(const TextCodec& codec,
                                                  std::span<const std::string> stops);

}  // namespace yardstick::tasks
